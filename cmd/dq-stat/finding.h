/* finding: what a check has found, as lines for people or as JSON. Pure. */
#ifndef DQ_FINDING_H
#define DQ_FINDING_H

#include <stddef.h>

#include "base/buf.h"

/* The numbers are those that monitoring plugins exit with. */
enum finding_level { FINDING_OK, FINDING_WARNING, FINDING_CRITICAL, FINDING_UNKNOWN };

struct finding {
	enum finding_level level;
	const char *what;   /* a word to look for, as maxmemory-policy; it lives for ever */
	const char *remedy; /* what to do about it, or NULL; it lives for ever */
	char why[400];      /* a sentence without a full stop; foreign bytes in it are escaped already */
};

/* Zero-initialise to start; findings_free to end. */
struct findings {
	struct finding *items;
	size_t count;
};

/* findings_add: 0, or -1: memory is out. */
int findings_add(struct findings *f, enum finding_level level, const char *what, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* findings_worst: critical comes before unknown, that before warning, that before ok. */
enum finding_level findings_worst(const struct findings *f);

/* Lines of LEVEL, TAB, WHAT, TAB, WHY; REMEDY, or one JSON object on a line; the worst first. 0, or -1: memory is out. */
int findings_lines(struct buf *out, const struct findings *f);
int findings_json(struct buf *out, const struct findings *f);
void findings_free(struct findings *f);

#endif
