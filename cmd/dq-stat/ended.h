/* ended: writes an id that has no message, but is reserved or has an outcome,
 * for people or as a JSON object. Pure. */
#ifndef DQ_ENDED_H
#define DQ_ENDED_H

#include "base/buf.h"
#include "message/listing.h"

/* Each returns 0, or -1 if out of memory. */
int ended_lines(struct buf *out, const char *queue, const char *id, const struct shown *s);
/* ended_line writes one for a list: NAME STATE TIME TRIES RESULT. */
int ended_line(struct buf *out, const char *queue, const char *id, const struct shown *s,
	       bool terminal);
int ended_json(struct buf *out, const char *queue, const char *id, const struct shown *s);

#endif
