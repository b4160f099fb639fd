/* reply: checks what the server replied. */
#ifndef DQ_REPLY_H
#define DQ_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct redisReply;

/* reply_failed turns an error reply into status, fate and text (escaped, cut). Returns -1. The
 * table is in dq-scripts(7). */
int reply_failed(const struct redisReply *reply, struct err *e);

/* reply_words: the number of bytes of an error reply before the text that it quotes from the
 * request: that may be a password, or half a script. */
size_t reply_words(const struct redisReply *reply);

/* reply_refuses: true if this error, as the first reply on a connection,
 * refuses the whole connection. */
bool reply_refuses(const struct redisReply *reply);

/* reply_of_script: true if one of dq's scripts made this error.
 * So it says nothing about the connection. */
bool reply_of_script(const struct redisReply *reply);

void reply_free(struct redisReply *reply);

/* reply_is_number: true for an integer that is exact in a double, as all integers in replies
 * of scripts. Sums and differences of a few such numbers do not overflow, nor does a
 * thousand times one. */
bool reply_is_number(const struct redisReply *reply);

/* reply_is_array: true for an array whose first at_least elements have that hiredis type;
 * integers as reply_is_number. */
bool reply_is_array(const struct redisReply *reply, size_t at_least, int type);

/* reply_limit makes a reader refuse replies that no request of ours gets, before it allocates
 * memory for them: arrays with more than REPLY_ELEMENTS elements in all, and arrays nested deeper
 * than REPLY_DEPTH, because hiredis 1.0 and later handles each level on the stack. Maps, sets,
 * pushes and attributes of RESP3 count as arrays. The caller frees the result after the reader;
 * NULL: out of memory. reply_refused: what was refused. */
#define REPLY_ELEMENTS (1 << 22)
#define REPLY_DEPTH 4
enum reply_refusal { REPLY_NOT_REFUSED, REPLY_TOO_LARGE, REPLY_TOO_DEEP };
struct reply_limit;
struct redisReader;
struct reply_limit *reply_limit(struct redisReader *reader);
enum reply_refusal reply_refused(const struct reply_limit *limit);

#endif
