/* watched: the shards of the queues that dq-promote -f promotes, and the wait for their marks. */
#ifndef DQ_WATCHED_H
#define DQ_WATCHED_H

#include "watch_state.h"

/* watched_update finds the queues to watch, of which there may be none yet, and begins the wait anew if they have changed. If there are
 * too many to wait for, it sets w->too_many. */
int watched_update(struct watch *w, struct err *e);

#endif
