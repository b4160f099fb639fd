/* members: those of the JSON objects that describe a message (dq-stat(1), JSON). Pure. */
#ifndef DQ_MEMBERS_H
#define DQ_MEMBERS_H

#include "queue/listing.h"

/* Each adds members with commas between them: 0, or -1: memory is out. members_listed: queue, id, and where the message is (state "": in
 * no state); members_shown, the same of one that was shown. members_options, with a comma before: again_ms,
 * which is no option, and all that its header says. */
int members_listed(struct buf *out, const char *queue, const char *state, const struct listed *m);
int members_shown(struct buf *out, const char *queue, const char *id, const struct shown *s);
int members_options(struct buf *out, const struct shown *s);

#endif
