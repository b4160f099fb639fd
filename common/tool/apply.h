/* apply: messages by the thousand through one script: named ones, or all of one state of a queue; at most so many, at most so
 * many a second, or only for show. Says what went wrong, and goes on where that makes sense. */
#ifndef DQ_APPLY_H
#define DQ_APPLY_H

#include "queue/letters.h"
#include "queue/pipeline.h"
#include "queue/queue_set.h"
#include "tool/progress.h"

struct apply_conf {
	const struct script *script; /* its arguments: now, perhaps one more, then ids */
	const char *argument;        /* the one more, or NULL */
	const char *word;            /* "removed": what is done to a message */
	bool single;                 /* never done twice, as in pipeline_conf */
	bool dry;                    /* print the names of what would be done, and change nothing */
	bool removes;                /* the whole queue: if another client removes or makes it, that is no failure, but apply.turned */
	int64_t limit;               /* at most so many done in all; -1 = all */
	int64_t rate;                /* at most so many a second, evenly; 0 = at once */
	/* would: the script's letter for a message in that state ("" = in none, NULL = no such message), for dry. */
	enum apply_letter (*would)(void *ctx, const char *state);
	/* missed: a letter that is not APPLY_OK, for a message that was named. Returns what it means for the exit status. */
	enum status (*missed)(void *ctx, const struct pipeline_result *result);
	void *ctx;
};

struct apply {
	struct apply_conf conf;
	struct conn *conn;
	struct pipeline pipeline;
	int64_t done;
	struct progress progress;
	int64_t under_way;  /* added and not yet answered */
	int64_t next_at;    /* us, of clock_ms: when the next one may go */
	bool paging;        /* within apply_state */
	bool refused;       /* since apply_state began, a whole call was refused */
	bool turned;        /* with conf.removes: another client removes or makes the queue; the owner sets it to false again */
	enum status status; /* the worst so far */
};

void apply_init(struct apply *m, struct conn *conn, const struct apply_conf *conf);

/* apply_add does it to one message, sooner or later; apply_finish, now. Both return 0, or -1 when nothing more is to be done: the
 * limit is reached, or there is no going on: then stderr and m->status have it. id is copied, q must outlive m. */
int apply_add(struct apply *m, struct queue *q, const char *id);
int apply_finish(struct apply *m);

/* apply_state does it to all messages of that state, in short calls, and finishes. Those that leave the state meanwhile are no
 * mistake; a foreign id that was passed over is DQ_NO. until, if not -1, ends it at the first message with a later time (struct
 * listed). As apply_add. */
int apply_state(struct apply *m, struct queue *q, const char *state, int64_t until);

/* apply_left: how many more the limit allows. */
int64_t apply_left(const struct apply *m);

/* apply_failed: what was to be done to q failed. Says so. As apply_add: 0 where another queue may do better. */
int apply_failed(struct apply *m, const struct queue *q, const struct err *e);
void apply_free(struct apply *m);

#endif
