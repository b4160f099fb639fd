/* tries: how often a message was delivered, as scripts reply and take it: TRIES; or TRIES+BACK, if
 * it was also given back BACK times. */
#ifndef DQ_TRIES_H
#define DQ_TRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct redisReply;

struct tries {
	int64_t counted;    /* deliveries that were not given back */
	int64_t given_back; /* those that were */
};

/* tries_valid: false if the reply is not such a text or number. tries_of reads a valid one. */
bool tries_valid(const struct redisReply *reply);
struct tries tries_of(const struct redisReply *reply);

/* tries_write adds the text. -1: out of memory. */
int tries_write(struct buf *out, const struct tries *t);

#endif
