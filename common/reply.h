/* reply: what the server answered. */
#ifndef DQ_REPLY_H
#define DQ_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct redisReply;

/* reply_failed turns an error reply into status, fate and text (escaped, cut). Returns -1. The table is in dq(7). */
int reply_failed(const struct redisReply *reply, struct err *e);

/* reply_words: of an error reply, how many bytes come before what it quotes of the request: a password, or half a script. */
size_t reply_words(const struct redisReply *reply);

/* reply_refuses: does it turn the whole connection away, if it is the first thing said on it? */
bool reply_refuses(const struct redisReply *reply);

void reply_free(struct redisReply *reply);

/* reply_is_number: an integer that is exact in a double, as all that scripts answer; sums and differences of some do not
 * overflow, nor does a thousand times it. */
bool reply_is_number(const struct redisReply *reply);

/* reply_limit makes a reader refuse an array of more than REPLY_ELEMENTS, for which memory would be taken (and walked) before
 * anything has come. Returns what to free after the reader, or NULL when memory is out. reply_was_refused: did it? */
#define REPLY_ELEMENTS (1 << 22)
struct reply_limit;
struct redisReader;
struct reply_limit *reply_limit(struct redisReader *reader);
bool reply_was_refused(const struct reply_limit *limit);

#endif
