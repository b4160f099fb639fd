/* rows: the keys of a queue's messages, with their numbers. */
#ifndef DQ_STAT_KEYS_ROWS_H
#define DQ_STAT_KEYS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/limit.h"
#include "queue/queue.h"

struct key_row {
	char key[NAME_KEY_PART_MAX + 1]; /* "": of the messages without one */
	int64_t ready, leased, tried;    /* tried: were delivered before, and are delayed or ready;
	                                  * of "" these two are 0, for unknown */
	int64_t dead;                    /* -1: not known, because they do not stop their keys */
	int64_t due, priority;           /* of its first ready message: ms, 0-255; -1: none */
	bool in_turn;                    /* one of its messages may be taken now,
	                                  * but for the limits of all messages */
	enum key_blocked blocked;
};

/* Zero-initialise; key_rows_free at the end. */
struct key_rows {
	struct key_row *rows;
	size_t count, room;
};

/* key_rows_read reads all keys that have messages which are ready, leased, tried or, where these
 * stop a key, dead, those with most ready messages first, from all shards of q. Between the pages
 * of a shard messages move. */
int key_rows_read(struct queue *q, struct key_rows *out, struct err *e);
void key_rows_free(struct key_rows *rows);

#endif
