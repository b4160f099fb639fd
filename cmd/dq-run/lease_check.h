/* lease_check: do the commands that run still hold their messages? One look a second for all of them, so that one whose message was removed,
 * replaced or given to another does not work on until its lease would be renewed. */
#ifndef DQ_LEASE_CHECK_H
#define DQ_LEASE_CHECK_H

#include "pool.h"

/* Zero-initialise; lease_check_free at the end. */
struct lease_check {
	struct queue *queues; /* borrowed */
	int count;
	struct call *calls;   /* a queue each */
};

int lease_check_init(struct lease_check *h, struct queue *queues, int count); /* -1: memory */
void lease_check_free(struct lease_check *h);

/* lease_check_run asks, if it is time: a read a queue in which something runs, all sent at once. What Redis does not confirm gets
 * job_doubt. */
void lease_check_run(const struct lease_check *h, struct pool *c, struct session *l, const struct wait *wait);

#endif
