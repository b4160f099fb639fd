/* settings: what an operator sets for a whole queue: lua/set.lua,
 * and the number of shards (shards.h). */
#ifndef DQ_SETTINGS_H
#define DQ_SETTINGS_H

#include "queue/limit.h"
#include "queue/queue.h"

struct settings {
	bool is_new;       /* the queue did not exist */
	int paused_shards; /* so many of its shards were paused */
	int64_t pause_end; /* the last end of their pauses, ms since 1970; -1: one of them had none;
	                    * 0: none was paused */
	bool unlisted;     /* all is set, but the name could not be added to the list of
	                    * all queues: *e */
};

/* settings_set changes settings of q and, if it has any then, adds it to the list of all queues.
 * *before: how q was. If some shards cannot be asked, it goes on with the others; the error then
 * names them, and is DQ_TEMPORARY at best: calling it again completes what is missing. If only the
 * name is not listed, it returns 0, and *e is why. */
int settings_set(struct queue *q, const struct settings_wanted *wanted, struct settings *before,
		 struct err *e);

/* settings_fit: DQ_USAGE and the reason if one of the limits is too small to be divided among
 * so many shards. */
int settings_fit(const struct settings_wanted *wanted, int shards, struct err *e);

#endif
