/* walk: reads all of a queue, with payloads, while it is in use. It finds each message that exists during the whole walk at least once,
 * each time in one state, also if the message moves meanwhile. */
#ifndef DQ_WALK_H
#define DQ_WALK_H

#include "queue/listing.h"

/* walk_messages calls each with every message (its call is empty, header and payload are whole, bytes is that of the payload; state is ""
 * for a body in no state); walk_reserved, with every reserved id and the time until which it is. Texts live as long as the call of each,
 * which returns less than 0 to stop: then so do these, with DQ_SAID. A foreign id is skipped, q->notice names it,
 * and q->foreign is set. A walk cannot continue on another connection, because another server has another order. */
int walk_messages(struct queue *q, int (*each)(void *ctx, const char *id, const struct shown *m), void *ctx, struct err *e);
int walk_reserved(struct queue *q, int (*each)(void *ctx, const char *id, int64_t until), void *ctx, struct err *e);

/* walk_count: how many entries to ask for next, after count entries had so many bytes, so that the server reads about QUEUE_BATCH_BYTES.
 * At most twice as many as before, because large entries may follow small ones. */
int64_t walk_count(int64_t count, int64_t bytes);

#endif
