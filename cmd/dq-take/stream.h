/* stream: leases batch after batch of one queue, the next asked for while one is printed. */
#ifndef DQ_STREAM_H
#define DQ_STREAM_H

#include "queue/take.h"

/* Zero-initialise; stream_free at the end. */
struct stream {
	struct take takes[2];
	int at;           /* of the last batch; the other is the next */
	bool ahead;       /* the next is asked for, and its answer on its way */
};

/* stream_last is the last batch. */
struct take *stream_last(struct stream *s);

/* stream_take fills that: by a call, or with the answer to the one that was made ahead. As take_run; after DQ_STOPPED s->ahead says
 * whether the answer that is on its way is that to the call made ahead. After FATE_UNCONFIRMED the deliveries are given back. */
int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e);

/* stream_ask makes the next call ahead, where it is certain to be made and many are wanted at once: not for leases of under a
 * second, since what waits here has a lease that runs. If it fails the next call tells. */
void stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf);

/* stream_return gives back the deliveries from..count-1 of the last batch, and what was asked for ahead, uncounted. -1 if that
 * failed for *lost of them, which are redelivered when their leases end. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e);

void stream_free(struct stream *s);

#endif
