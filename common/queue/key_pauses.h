/* key_pauses: pauses of single keys of a queue (lua/lib/key_pause.lua). Each shard has all of them;
 * the one that has the key counts (questions.h). */
#ifndef DQ_KEY_PAUSES_H
#define DQ_KEY_PAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/name.h"
#include "queue/queue.h"

#define KEY_PAUSE "paused:" /* then the key: the name of the setting */
#define KEY_PAUSES_MAX 1000 /* at a time; in lua/lib/key_pause.lua, too */

struct key_pause {
	/* ? and the name of the setting: if the queue lacks it (lua/set.lua) */
	char text[sizeof KEY_PAUSE + 1 + NAME_KEY_PART_MAX];
	char value[24];  /* as lua/set.lua takes it: "0", "1", or when it ends, ms */
	int64_t until;   /* ms since 1970; -1: for good; 0: not paused */
	int64_t before;  /* the same, before settings_set */
};

/* Zero-initialise it; key_pauses_free at the end. */
struct key_pauses {
	struct key_pause *list;
	size_t count, room;
};

/* key_pause_name: the name of the setting. key_pause_key: its key. */
const char *key_pause_name(const struct key_pause *p);
const char *key_pause_key(const struct key_pause *p);

/* key_pause_until sets the pause, and its value. */
void key_pause_until(struct key_pause *p, int64_t until);

/* key_pauses_add returns a new one of that key, which is valid; NULL: out of memory.
 * key_pauses_find: NULL: none. */
struct key_pause *key_pauses_add(struct key_pauses *all, const char *key, size_t len,
				 int64_t until);
struct key_pause *key_pauses_find(const struct key_pauses *all, const char *key, size_t len);

/* key_pauses_copy makes `to` the same as from. -1: out of memory. */
int key_pauses_copy(struct key_pauses *to, const struct key_pauses *from, struct err *e);

/* key_pauses_begin asks a shard for all that it has, also of keys of another shard; key_pauses_end
 * adds them to *out. key_pauses_of does both. */
void key_pauses_begin(struct call *call, struct queue *shard);
int key_pauses_end(struct call *call, struct key_pauses *out, struct err *e);
int key_pauses_of(struct queue *shard, struct key_pauses *out, struct err *e);

/* key_pauses_member adds ,"paused_keys":{"KEY":MS,...}, with null for a pause that does not end.
 * Returns 0, or -1 if out of memory. */
int key_pauses_member(struct buf *out, const struct key_pauses *all);

void key_pauses_free(struct key_pauses *all);

#endif
