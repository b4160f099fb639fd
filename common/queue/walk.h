/* walk: reads a queue whole, with payloads, while it is in use: what is there during the whole walk is found at least once, each time in
 * one state, wherever it moves meanwhile. */
#ifndef DQ_WALK_H
#define DQ_WALK_H

#include "queue/listing.h"

/* walk_messages calls each with every message (its call is empty, header and payload are whole, bytes is that of the payload; state is ""
 * for a body in no state); walk_reserved, with every reserved id and the time until which it is. Texts live as long as the call of each,
 * which returns less than 0 to stop: then so do these, with DQ_SAID. An id that a foreign hand wrote is passed over, noted in q->notice,
 * and q->foreign set. They do not go on on another connection: another server has another order. */
int walk_messages(struct queue *q, int (*each)(void *ctx, const char *id, const struct shown *m), void *ctx, struct err *e);
int walk_reserved(struct queue *q, int (*each)(void *ctx, const char *id, int64_t until), void *ctx, struct err *e);

/* walk_count: how many entries to ask for after that many were so many bytes: so many that the server reads about QUEUE_BATCH_BYTES. At
 * most twice as many as before, so that small ones before large ones are no surprise. */
int64_t walk_count(int64_t count, int64_t bytes);

#endif
