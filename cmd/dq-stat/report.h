/* report: what a check has found, as lines for people or as JSON. Pure. */
#ifndef DQ_REPORT_H
#define DQ_REPORT_H

#include <stddef.h>

#include "base/buf.h"

/* The numbers are those that monitoring plugins exit with. */
enum report_level { REPORT_OK, REPORT_WARNING, REPORT_CRITICAL, REPORT_UNKNOWN };

struct report_line {
	enum report_level level;
	const char *what;   /* a word to look for, as maxmemory-policy; it lives for ever */
	const char *remedy; /* what to do about it, or NULL; it lives for ever */
	char why[400];      /* a sentence without a full stop; foreign bytes in it are escaped already */
};

/* Zero-initialise to start; report_free to end. */
struct report {
	struct report_line *items;
	size_t count;
	const char *node; /* borrowed; if not NULL, the findings that are added now are of this node of a cluster, and begin with it */
};

/* report_add: 0, or -1: memory is out. */
int report_add(struct report *f, enum report_level level, const char *what, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* report_worst: critical comes before unknown, that before warning, that before ok. */
enum report_level report_worst(const struct report *f);

/* Lines of LEVEL, TAB, WHAT, TAB, WHY; REMEDY, or one JSON object on a line; the worst first. 0, or -1: memory is out. */
int report_lines(struct buf *out, const struct report *f);
/* report_summary writes the first line of a monitoring plugin: DQ LEVEL - TEXT | PERFORMANCE DATA. queues: how many were judged. */
int report_summary(struct buf *out, const struct report *f, size_t queues, const struct buf *perf);
int report_json(struct buf *out, const struct report *f);
void report_free(struct report *f);

#endif
