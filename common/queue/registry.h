/* registry: the list of all queues, {PREFIX:queues}: a sorted set of names, each with the
 * generation of its queue. It may be on another node than the queue, so no script touches both. A
 * name is added in three steps: put replies the generation of a queue that may not be listed; the
 * client adds the name with this generation; the script listed notes that in the queue, if it still
 * has this generation. A name is removed in two steps: forget removes the queue, then unlist
 * removes the name, unless its generation is greater. If a tool dies between two steps, a queue
 * whose field `listed` is set is still in the list. */
#ifndef DQ_REGISTRY_H
#define DQ_REGISTRY_H

#include "queue/queue.h"

/* registry_each calls each with the name of every queue in the list, sorted. DQ_REPORTED: each
 * returned less than 0. */
int registry_each(struct exchange *x, const char *prefix, int (*each)(void *ctx, const char *name),
		  void *ctx, struct err *e);

/* The calls of the second and the third step. generation is borrowed until the reply.
 * registry_added: is the name new? */
void registry_add_call(struct call *call, const struct queue *q, const char *generation);
void registry_listed_call(struct call *call, const struct queue *q, const char *generation);
bool registry_added(const struct call *call);

/* registry_announce adds the mark for tools that watch all queues, on the connection on which the
 * name was added, without waiting for the reply. */
int registry_announce(const struct queue *q, struct node *node, struct err *e);

/* registry_list adds the name of a queue with that generation to the list, all steps. */
int registry_list(struct queue *q, const char *generation, struct err *e);

/* registry_check returns the name of a fault, or NULL. With repair it repairs the fault. known: the
 * name was just read from the list. begun: of queue_exists_begin, or NULL. */
int registry_check(struct queue *q, struct call *begun, bool known, bool repair, const char **fault,
		   struct err *e);

#endif
