/* name: queues, ids, names (QUEUE/ID), receipts (QUEUE/ID@TOKEN),
 * and the only place that makes keys. Pure. */
#ifndef DQ_NAME_H
#define DQ_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define NAME_MAX_BYTES 128 /* of a queue's name, and of an id */
#define NAME_KEY_PART_MAX (NAME_MAX_BYTES - 2) /* of the key in an id: a + and a byte follow it */
#define NAME_PREFIX_MAX 64
#define NAME_KEY_MAX (NAME_PREFIX_MAX + NAME_MAX_BYTES + 24)
#define NAME_TOKEN_MAX 20

struct name {
	char queue[NAME_MAX_BYTES + 1];
	char id[NAME_MAX_BYTES + 1];      /* "" where only a queue was given */
	char token[NAME_TOKEN_MAX + 1];   /* decimal digits; "" where it is not a receipt */
};

/* queue: [A-Za-z0-9._-]{1,128}; id: the same and ':', and one '+' that is neither the first
 * byte nor the last: KEY+REST is the id of a message with that key, which does not begin with
 * '-' (an empty variable before an option would be one). lua/lib/is_id.lua is the same. s need
 * not end in NUL. */
bool name_queue_valid(const char *s, size_t len);
bool name_id_valid(const char *s, size_t len);
bool name_key_valid(const char *s, size_t len);
bool name_prefix_valid(const char *s, size_t len); /* [A-Za-z0-9._:-]{1,64} */

/* The checks above, as errors (DQ_USAGE) that show the wrong text, escaped,
 * and say what is allowed. */
int name_queue_check(const char *s, struct err *e);
int name_id_check(const char *s, size_t len, struct err *e);
int name_key_check(const char *s, size_t len, struct err *e);

/* name_key_len: how many of the first bytes of a valid id are its key; 0: it has none. */
size_t name_key_len(const char *s, size_t len);

/* The forms that a parsed word may have. */
enum name_form {
	NAME_QUEUE = 1,   /* QUEUE */
	NAME_MESSAGE = 2, /* QUEUE/ID, or QUEUE/ID@TOKEN, whose token is then read and
	                   * may be ignored */
	NAME_RECEIPT = 4  /* QUEUE/ID@TOKEN */
};

/* name_parse reads len bytes as one of the allowed forms (ORed). Errors are DQ_USAGE and name the
 * expected form; *out is then unchanged. */
int name_parse(const char *s, size_t len, int forms, struct name *out, struct err *e);

/* The parts of a queue, in the order in which every script gets them as KEYS (lua/lib/keys.lua).
 * Change both together, and the table of keys in dq-scripts(7). */
enum name_part {
	PART_MSG,
	PART_DELAYED,
	PART_READY,
	PART_LEASED,
	PART_DEAD,
	PART_TRY,
	PART_STAT,
	PART_WAKE,
	PART_CONF,
	PART_SETTLED,
	PART_TIMER,
	PART_EXPIRY,
	PART_GUARD,
	PART_FAILING,
	PART_BEGUN,
	PART_OUTCOME,
	PART_KEYED,
	PART_TURN,
	PART_COUNT
};

struct name_keys {
	char key[PART_COUNT][NAME_KEY_MAX];
	size_t len[PART_COUNT];
};

/* name_keys writes PREFIX:{QUEUE}:part for each part. With a number other than 0 it writes the keys
 * of that shard, PREFIX:{QUEUE/NUMBER}:part; no queue has such a name. Both texts must be valid,
 * number below 100,000. */
void name_keys(const char *prefix, const char *queue, unsigned number, struct name_keys *out);

/* name_registry writes {PREFIX:queues}, the key of the list of all queues. */
void name_registry(const char *prefix, char out[NAME_KEY_MAX]);

/* name_newcomers writes {PREFIX:queues}:new, in the same slot.
 * Its mark announces a new queue to a waiting dq-promote -f. */
void name_newcomers(const char *prefix, char out[NAME_KEY_MAX]);

#endif
