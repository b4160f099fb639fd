/* audit: checks that a queue is consistent: every body is in exactly one state, every index entry
 * and try entry has a body, every lease has a receipt, every message is in its shard; stat.limits
 * is as conf. An audit may run while messages move: each slice shows the queue at one moment. */
#ifndef DQ_AUDIT_H
#define DQ_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/queue.h"

/* the fault of the whole queue, without an id; in lua/lib/audit_repair.lua, too */
#define WRONG_LIMITS "wrong limits"

/* The texts are valid during the call of each. id may hold any bytes: it is shown as found. */
struct audit_fault {
	const char *id;
	size_t id_len;
	const char *fault; /* printable; lua/audit.lua lists them */
};

struct audit_sum {
	int64_t faults;    /* each pair of id and fault counts once (as far as
	                    * dedup.h remembers it) */
	int64_t slices;    /* calls */
	int64_t bytes;     /* read */
	int64_t max_bytes; /* in one slice */
};

/* audit_walk checks a whole queue in slices of about QUEUE_BATCH entries or QUEUE_BATCH_BYTES. With
 * repair it also repairs each fault, without losing a payload, but WRONG_SHARD (wrong_shard.h). If
 * each returns less than 0, audit_walk stops and fails with DQ_REPORTED. audit_begin begins its
 * first call, which audit_walk may get (else NULL). */
void audit_begin(struct call *call, struct queue *q, bool repair);
int audit_walk(struct queue *q, struct call *begun, bool repair,
	       int (*each)(void *ctx, const struct audit_fault *f), void *ctx,
	       struct audit_sum *sum, struct err *e);

#endif
