/* families: metrics in the text format of Prometheus: all samples of a metric stand together, behind its HELP and TYPE. Pure. */
#ifndef DQ_FAMILIES_H
#define DQ_FAMILIES_H

#include "metric.h"
#include "redis/server_info.h"

#define FAMILIES_MAX 40

/* Zero-initialise to start; families_free to end. */
struct families {
	struct buf samples[FAMILIES_MAX];
	size_t queues;
};

/* Each returns 0, or -1: memory is out. families_write adds those that have samples. */
int families_queue(struct families *f, const char *queue, const struct queue_counts *c);
int families_server(struct families *f, const struct server *s);
int families_write(struct families *f, struct buf *out);
void families_free(struct families *f);

#endif
