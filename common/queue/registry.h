/* registry: the list of all queues, {PREFIX:queues}: a sorted set of names, each with the generation of its queue. It may be on another
 * node than a queue, so no script touches both. A name comes in three steps: put says that its queue is not known to be listed, and
 * with which generation; the name is added with that; and then the queue notes that it is listed, if it still has that generation.
 * A name goes in two: the queue is forgotten, and then the name goes, if it has no later generation. If a tool dies between two
 * steps, whatever others do meanwhile, a queue that notes that it is listed is listed. */
#ifndef DQ_REGISTRY_H
#define DQ_REGISTRY_H

#include "queue/queue.h"

/* registry_each calls each with the name of every queue there is, sorted. DQ_SAID: each returned less than 0. */
int registry_each(struct conn *conn, const char *prefix, int (*each)(void *ctx, const char *name), void *ctx, struct err *e);

/* The second step of a put, and the third. generation is borrowed until the reply. registry_added: true if the name is new. */
void registry_add_call(struct call *call, const struct queue *q, const char *generation);
void registry_listed_call(struct call *call, const struct queue *q, const char *generation);
bool registry_added(const struct call *call);

/* registry_announce adds the mark for tools that watch all queues, on the connection on which the name was added, without waiting for
 * the reply. */
int registry_announce(const struct queue *q, struct conn *conn, struct err *e);

/* registry_check returns the name of a fault, or NULL. With repair it repairs the fault. known: the name was just read from the list. */
int registry_check(struct queue *q, bool known, bool repair, const char **fault, struct err *e);

#endif
