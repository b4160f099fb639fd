/* walk: reads a whole queue, with payloads, while it is in use. It finds each message
 * that exists during the whole walk at least once, each time in one state, even if the
 * message moves meanwhile. */
#ifndef DQ_WALK_H
#define DQ_WALK_H

#include "message/listing.h"

/* walk_messages calls each for every message. Its call is empty; header and payload are complete,
 * bytes is the length of the payload, and state is "" for a body in no state. The texts are valid
 * during the call of each. If each returns less than 0, the walk stops and fails with DQ_REPORTED.
 * A foreign id is skipped: q->foreign is set, and q->notice names the id. A walk cannot continue on
 * another connection, because another server has another order: it fails. */
int walk_messages(struct queue *q, int (*each)(void *ctx, const char *id, const struct shown *m),
		  void *ctx, struct err *e);

/* walk_reserved does the same with every reserved id, the end of its reservation, and its outcome.
 * anew: on another connection it reads all again, and each gets some a second time. */
int walk_reserved(struct queue *q, bool anew,
		  int (*each)(void *ctx, const char *id, int64_t until, const struct outcome *o),
		  void *ctx, struct err *e);

/* walk_count: the number of entries to request next, so that the server reads about
 * QUEUE_BATCH_BYTES. The last count entries had so many bytes. The result is at most twice count,
 * because large entries may follow small ones. */
int64_t walk_count(int64_t count, int64_t bytes);

#endif
