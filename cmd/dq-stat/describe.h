/* describe: a message as text: its state, tries and options. Pure. */
#ifndef DQ_DESCRIBE_H
#define DQ_DESCRIBE_H

#include <stdbool.h>

#include "base/buf.h"
#include "message/listing.h"

/* One message: lines of KEY TAB VALUE. Every message has the same keys in the same order ("-"
 * = none), except for the time, whose key is due, lease_until or died. Or one JSON object in
 * a line: dq-stat(1). */
int describe_shown(struct buf *out, const char *queue, const char *id, const struct shown *s);
int describe_shown_json(struct buf *out, const char *queue, const char *id, const struct shown *s);

/* One message of a listing: NAME TAB STATE TAB TIME TAB TRIES TAB REASON, or one JSON object in a
 * line. With m->shown: also the payload, escaped like that of dq-take. */
int describe_listed(struct buf *out, const char *queue, const char *state, const struct listed *m,
		    bool terminal);
int describe_listed_json(struct buf *out, const char *queue, const char *state,
			 const struct listed *m);

/* Each returns 0, or -1 if out of memory; then *out may end in part of it. */

#endif
