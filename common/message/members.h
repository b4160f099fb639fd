/* members: writes the members of the JSON objects that describe a message (dq-stat(1), JSON).
 * Pure. */
#ifndef DQ_MEMBERS_H
#define DQ_MEMBERS_H

#include "message/listing.h"

/* Each adds members with commas between them. 0; -1: out of memory. members_id adds queue, id and
 * key. members_listed adds these and the message's place (state "": in no state). members_shown
 * adds the same for a message that was shown. members_options begins with a comma; it adds
 * again_ms, which is not an option, and all options of the header. */
int members_id(struct buf *out, const char *queue, const char *id);
int members_listed(struct buf *out, const char *queue, const char *state, const struct listed *m);
int members_shown(struct buf *out, const char *queue, const char *id, const struct shown *s);
int members_options(struct buf *out, const struct shown *s);

#endif
