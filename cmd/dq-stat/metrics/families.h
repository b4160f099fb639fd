/* families: metrics in the text format of Prometheus: all samples of a metric follow its HELP
 * and TYPE. Pure. */
#ifndef DQ_FAMILIES_H
#define DQ_FAMILIES_H

#include "family.h"
#include "../metric.h"
#include "../servers.h"

/* Zero-initialise to start; families_free to end. */
struct families {
	struct buf samples[FAMILIES];     /* of the server: text; of queues: their numbers,
	                                   * in the order of names */
	struct buf names;                 /* each ended by NUL */
	size_t queues;
	int64_t read_at;                  /* when the samples were read: ms since 1970 */
	bool any[FAMILIES];               /* of families that not every queue has a sample
	                                   * of: has any? */
};

typedef int families_write_fn(void *ctx, const char *bytes, size_t len, struct err *e);

/* Each returns 0, or -1 if memory is out. families_server: t has not failed; the samples of a
 * cluster's node have its label. */
int families_queue(struct families *f, const char *queue, const struct queue_counts *c);
int families_server(struct families *f, const struct server_reply *t);
int families_cluster(struct families *f, int unassigned);

/* families_write writes the families that have samples, a part at a time. Returns 0, or -1 with the
 * error of write, or out of memory. */
int families_write(struct families *f, families_write_fn *write, void *ctx, struct err *e);

void families_free(struct families *f);

#endif
