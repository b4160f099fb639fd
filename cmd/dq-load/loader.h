/* loader: puts the records of a dump into their queues, by the thousand, prints the names of what is there, and counts the rest. */
#ifndef DQ_LOADER_H
#define DQ_LOADER_H

#include "answers.h"
#include "queue/pipeline.h"
#include "queue/queue_set.h"
#include "queue/shards.h"
#include "record.h"

struct loader_conf {
	const char *mode;    /* what to do with an id that another message has: lua/load.lua */
	bool quiet, verbose;
	bool dry;            /* only look at the lines */
};

/* What is known of the queue whose beginning was the last one. */
struct loading {
	char name[NAME_MAX_BYTES + 1]; /* "" = none is under way */
	bool paused;                   /* it was when it was dumped */
	bool over;                     /* this dump of it was loaded whole before: nothing is to be done */
	bool loaded[SHARDS_MAX];       /* likewise, of each shard */
	int64_t dump, messages, reserved; /* lines */
	size_t failures;               /* when it began */
};

struct loader {
	struct loader_conf conf;
	/* results */
	struct answers answers;
	size_t paused;      /* queues that stay so, since they were */
	bool told;          /* the counts are said */
	bool unnamed;       /* names could not be written although the user wants them */
	/* private */
	struct queue_set queues;
	struct pipeline pipeline;
	struct loading at;
	bool whole, part;   /* of this input: it had the last line of a dump; it had the beginning of one */
};

/* loader_start: l is zeros. conn and prefix must outlive it. */
void loader_start(struct loader *l, const struct loader_conf *conf, struct conn *conn, const char *prefix);

/* loader_take takes a record on. -1: it cannot be (*e, DQ_DATA), or there is no going on: DQ_SAID, it has been said, and answers.status
 * holds it. loader_settle sends what is gathered, waits for all answers and prints; -1: no going on. loader_failed counts a line that is no
 * record (DQ_DATA), and what else failed: the queue will stay paused. loader_close, at the end of an input, says what is missing in it. */
int loader_take(struct loader *l, const struct record *r, struct err *e);
int loader_settle(struct loader *l);
void loader_failed(struct loader *l, const struct err *e);
void loader_close(struct loader *l, const char *input);
void loader_free(struct loader *l);

#endif
