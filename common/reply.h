/* reply: what the server answered. */
#ifndef DQ_REPLY_H
#define DQ_REPLY_H

#include "err.h"

struct redisReply;

/* reply_failed turns an error reply into status, fate and text (escaped, cut). Returns -1. The table is in dq(7). */
int reply_failed(const struct redisReply *reply, struct err *e);

void reply_free(struct redisReply *reply);

#endif
