/* families: metrics in the text format of Prometheus: all samples of a metric stand together, behind its HELP and TYPE. Pure. */
#ifndef DQ_FAMILIES_H
#define DQ_FAMILIES_H

#include "metric.h"
#include "servers.h"

#define FAMILIES_MAX 40

/* Zero-initialise to start; families_free to end. */
struct families {
	struct buf samples[FAMILIES_MAX]; /* of the server: text; of queues: their numbers, in the order of names */
	struct buf names;                 /* each ended by NUL */
	size_t queues;
	bool next_due;                    /* is there any? */
};

typedef int families_write_fn(void *ctx, const char *bytes, size_t len, struct err *e);

/* Each returns 0, or -1: memory is out. families_server: t has not failed; samples of a cluster's node have its label. families_write writes those that have samples, a part at a time; -1: *e is write's, or memory. */
int families_queue(struct families *f, const char *queue, const struct queue_counts *c);
int families_server(struct families *f, const struct told *t);
int families_cluster(struct families *f, int unassigned);
int families_write(struct families *f, families_write_fn *write, void *ctx, struct err *e);
void families_free(struct families *f);

#endif
