/* reply: what the server answered. */
#ifndef DQ_REPLY_H
#define DQ_REPLY_H

#include <stdbool.h>

#include "err.h"

struct redisReply;

/* reply_failed turns an error reply into status, fate and text (escaped, cut). Returns -1. The table is in dq(7). */
int reply_failed(const struct redisReply *reply, struct err *e);

/* reply_refuses: does it turn the whole connection away, if it is the first thing said on it? */
bool reply_refuses(const struct redisReply *reply);

void reply_free(struct redisReply *reply);

#endif
