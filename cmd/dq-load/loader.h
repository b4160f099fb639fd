/* loader: loads the lines of a dump into their queues, thousands a call; prints the names of the
 * messages that exist now, and counts the others. */
#ifndef DQ_LOADER_H
#define DQ_LOADER_H

#include "queue/shards.h"
#include "dump_line.h"
#include "sender.h"

/* What is known of the queue that began last. */
struct loading {
	char name[NAME_MAX_BYTES + 1]; /* "" = no queue has begun */
	struct dump_settings settings; /* as they were when the queue was dumped */
	bool over;                     /* this dump of the queue was loaded whole before:
	                                * skip its lines */
	bool loaded[SHARDS_MAX];       /* the same for each shard */
	int shards;                    /* of so many; with another number the queue was made anew,
	                                * and nothing of it was loaded */
	int64_t dump, token, messages, reserved; /* messages, reserved: counted lines */
	size_t failures;               /* failures when the queue began */
};

struct loader {
	struct sender sender;
	size_t paused;      /* queues that stay paused, because they were paused before */
	size_t over;        /* queues that were loaded whole before */
	/* private */
	struct sender_conf conf;
	struct loading at;
	bool whole, part;   /* whole: the input has the last line of a dump;
	                     * part: it has the beginning of a queue */
	/* the last queue that has no valid first line; "" = none */
	char unbegun[NAME_MAX_BYTES + 1];
	bool unbegun_said;  /* that was reported */
};

/* loader_start: as sender_start. */
int loader_start(struct loader *l, const struct sender_conf *conf, struct exchange *x,
		 const char *prefix, struct err *e);

/* loader_take takes a line. -1: it cannot be loaded (*e, DQ_DATA), or the tool cannot continue
 * (DQ_REPORTED: reported, and answers.status has the status). */
int loader_take(struct loader *l, const struct dump_line *d, struct err *e);

/* loader_unread: the line is not valid. If it begins a queue,
 * the lines of that queue are not loaded. */
void loader_unread(struct loader *l, const struct dump_line *d);

/* loader_failed counts a line that is not valid (DQ_DATA),
 * or another failure: then the queue stays paused. */
void loader_failed(struct loader *l, const struct err *e);

/* loader_close, at the end of an input, reports what it lacks; empty: it has no line. */
void loader_close(struct loader *l, const char *input, bool empty);

/* loader_paused: the queue that has begun, and is paused until its end is loaded; NULL: none, or
 * another load has it. */
const char *loader_paused(const struct loader *l);
void loader_free(struct loader *l);

#endif
