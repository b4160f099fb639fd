/* audit: does a queue hold together? Every body in exactly one state, every index and try entry with a body, every lease with
 * a receipt. It may be asked while messages move: each slice is one moment's view. */
#ifndef DQ_AUDIT_H
#define DQ_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/queue.h"

/* The texts live as long as the call of each; id may hold any bytes: it is what was found. */
struct audit_fault {
	const char *id;
	size_t id_len;
	const char *fault; /* printable; lua/audit.lua lists them */
};

struct audit_sum {
	int64_t faults;    /* each id and fault once (as far as dedup.h remembers) */
	int64_t slices;    /* calls */
	int64_t bytes;     /* read */
	int64_t max_bytes; /* in one slice */
};

/* audit_walk looks at all of a queue, in slices of about QUEUE_BATCH entries or QUEUE_BATCH_BYTES, and with repair mends what
 * it finds, without losing a payload. each returns less than 0 to stop; then so does this: DQ_SAID. */
void audit_ahead(struct call *call, struct queue *q, bool repair); /* the first call of audit_walk */
int audit_walk(struct queue *q, bool repair, int (*each)(void *ctx, const struct audit_fault *f), void *ctx,
	       struct audit_sum *sum, struct err *e);

#endif
