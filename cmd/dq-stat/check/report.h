/* report: the findings of a check, as lines for people or as JSON. Pure. */
#ifndef DQ_REPORT_H
#define DQ_REPORT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/name.h"

/* The numbers are the exit statuses of monitoring plugins. */
enum report_level { REPORT_OK, REPORT_WARNING, REPORT_CRITICAL, REPORT_UNKNOWN };

struct report_line {
	enum report_level level;
	const char *what;   /* a keyword, such as maxmemory-policy; static */
	const char *remedy; /* how to correct it, or NULL; static.
	                     * QUEUE in it stands for the queue, KEY for the key */
	char queue[NAME_MAX_BYTES + 1]; /* "": it is about no queue */
	char key[NAME_MAX_BYTES + 1];   /* "": it is about no key */
	char why[400];      /* a sentence without a full stop; foreign bytes are escaped */
};

/* Zero-initialise to start; report_free to end. */
struct report {
	struct report_line *items;
	size_t count;
	const char *node;  /* borrowed; if not NULL, new findings are about this node of a cluster,
	                    * and begin with it */
	const char *queue; /* borrowed; if not NULL, new findings are about this queue */
	const char *key;   /* the same: about this key of it */
};

/* report_add returns 0, or -1 if out of memory. */
int report_add(struct report *f, enum report_level level, const char *what, const char *remedy,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* report_worst: critical is worse than unknown, that than warning, that than ok. */
enum report_level report_worst(const struct report *f);

/* Lines of LEVEL, TAB, WHAT, TAB, WHY; REMEDY, or one JSON object in a line; from the worst to the
 * best. Each returns 0, or -1 if out of memory. */
int report_lines(struct buf *out, const struct report *f);
/* report_summary writes the first line of a monitoring plugin: DQ LEVEL - TEXT | PERFORMANCE DATA.
 * queues: how many were checked. */
int report_summary(struct buf *out, const struct report *f, size_t queues, const struct buf *perf);
int report_json(struct buf *out, const struct report *f);
void report_free(struct report *f);

#endif
