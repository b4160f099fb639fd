/* keys: dq-stat --keys, the keys of messages; dq-stat -k, the messages of one of them. */
#ifndef DQ_STAT_KEYS_KEYS_H
#define DQ_STAT_KEYS_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue_set.h"

struct keys {
	struct queue_set *all;
	char *const *names; /* one, NULL-ended */
	const char *key;    /* of keys_messages */
	int64_t limit;      /* at most so many rows; -1: all */
	bool json, header;  /* header: the table has a line with its columns */
	bool terminal;      /* standard output is a terminal */
	bool quiet;         /* do not report that the queue does not exist yet */
	bool verbose;       /* report how many messages are in each state */
};

/* Each reports errors, and returns the worst status.
 * keys_messages: DQ_NO if no message has that key. */
enum status keys_list(const struct keys *k);
enum status keys_messages(const struct keys *k);

#endif
