/* hold: do the commands that run still hold their messages? One look a second for all of them, so that one whose message was removed,
 * replaced or given to another does not work on until its lease would be renewed. */
#ifndef DQ_HOLD_H
#define DQ_HOLD_H

#include "crew.h"

/* Zero-initialise; hold_free at the end. */
struct hold {
	struct queue *queues; /* borrowed */
	int count;
	struct call *calls;   /* a queue each */
};

int hold_init(struct hold *h, struct queue *queues, int count); /* -1: memory */
void hold_free(struct hold *h);

/* hold_look asks, if it is time: a read a queue in which something runs, all sent at once. What Redis does not confirm gets
 * slot_doubt. */
void hold_look(const struct hold *h, struct crew *c, struct link *l);

#endif
