/* sender: sends what a dump has to the shards of its queues, in calls of many items; prints the
 * names of the messages that exist now. */
#ifndef DQ_SENDER_H
#define DQ_SENDER_H

#include "answers.h"
#include "bulk/pipeline.h"
#include "queue/queue_set.h"
#include "dump_line.h"

struct sender_conf {
	const char *mode;    /* what to do if another message has the id: lua/load.lua */
	bool quiet, verbose;
	bool dry;            /* send nothing */
};

struct sender {
	struct answers answers;
	bool reported;      /* the counts were reported */
	bool unnamed;       /* the user wants names, but they could not be written */
	bool dry;
	struct queue_set queues;
	struct pipeline pipeline;
	char claim[24];     /* the number of this load: lua/lib/claim.lua */
};

/* sender_start: *s is zeros. x and prefix must outlive it. conf is copied.
 * -1: the kernel gives no random bytes. */
int sender_start(struct sender *s, const struct sender_conf *conf, struct exchange *x,
		 const char *prefix, struct err *e);
void sender_free(struct sender *s);

/* The next ones return -1 if the tool cannot continue; that was reported, and answers.status has
 * the status. sender_line: begun: this load has begun the queue. sender_settle sends the last
 * batch, and waits for all replies. sender_names prints the names that were gathered. sender_queue:
 * NULL instead of -1. */
int sender_line(struct sender *s, const struct dump_line *d, bool begun);
int sender_settle(struct sender *s);
int sender_names(struct sender *s);
struct queue *sender_queue(struct sender *s, const char *name);

/* sender_edge sends the beginning or the end of a queue, the place of lua/load.lua, to each shard;
 * it calls sender_settle. */
int sender_edge(struct sender *s, const char *queue, const char *place);

#endif
