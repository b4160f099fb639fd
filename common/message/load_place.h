/* load_place: where lua/load.lua is to put a message. */
#ifndef DQ_MESSAGE_LOAD_PLACE_H
#define DQ_MESSAGE_LOAD_PLACE_H

#include "message/listing.h"

/* load_place writes the place that a message had: state, at, tries, delivery_due, again, first_due,
 * failures and reason. A state that is neither leased nor dead is ready or delayed, by its time.
 * -1: out of memory. */
int load_place(struct buf *out, const struct shown *m);

#endif
