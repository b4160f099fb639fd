/* describe: what is known of a message, as text. Pure. */
#ifndef DQ_DESCRIBE_H
#define DQ_DESCRIBE_H

#include <stdbool.h>

#include "base/buf.h"
#include "queue/listing.h"

/* One message whole: lines of KEY TAB VALUE, the same keys in the same order whatever the message ("-" = none) except that
 * the time is called due, lease_until or died; or one JSON object in a line, as dq-stat(1) has it. */
int describe_shown(struct buf *out, const char *queue, const char *id, const struct shown *s);
int describe_shown_json(struct buf *out, const char *queue, const char *id, const struct shown *s);

/* One message of a listing: NAME TAB STATE TAB TIME TAB TRIES TAB REASON, or one JSON object in a line. s: also its payload, escaped as
 * dq-take does; NULL: without. */
int describe_listed(struct buf *out, const char *queue, const char *state, const struct listed *m, const struct shown *s, bool terminal);
int describe_listed_json(struct buf *out, const char *queue, const char *state, const struct listed *m, const struct shown *s);

/* Each returns 0, or -1: memory is out; then *out may end in a part of it. */

#endif
