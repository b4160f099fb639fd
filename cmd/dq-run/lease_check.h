/* lease_check: do the running commands still hold their leases? One check a second for all of them.
 * A command whose message was removed, replaced or taken by another consumer so ends before its
 * lease would be renewed. */
#ifndef DQ_LEASE_CHECK_H
#define DQ_LEASE_CHECK_H

#include "pool.h"

/* Zero-initialise; lease_check_free at the end. */
struct lease_check {
	struct queue *queues; /* borrowed */
	int count;
	struct call *calls;   /* one for each queue */
};

/* -1: out of memory */
int lease_check_init(struct lease_check *h, struct queue *queues, int count);
void lease_check_free(struct lease_check *h);

/* lease_check_run checks, if it is time: one read for each queue with a running command, all sent
 * at once. A receipt that Redis does not confirm gets job_doubt. */
void lease_check_run(const struct lease_check *h, struct pool *c, struct exchange *x,
		     const struct wait *wait);

#endif
