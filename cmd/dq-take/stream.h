/* stream: leases batches of one queue, and asks for the next batch while one is printed. */
#ifndef DQ_STREAM_H
#define DQ_STREAM_H

#include "message/take.h"

/* Zero-initialise it; stream_free at the end. */
struct stream {
	struct take takes[2];
	int at;           /* index of the last batch; the other one is the next */
	bool ahead;       /* the next batch is asked for, and its reply is in flight */
};

/* stream_last returns the last batch. */
struct take *stream_last(struct stream *s);

/* stream_take fills the last batch: by a call, or with the reply to the call made ahead. Returns as take_run. After DQ_STOPPED, s->ahead
 * says whether the reply in flight is to the call made ahead. After FATE_UNCONFIRMED the deliveries are given back; so are those made ahead
 * whose leases end by now. */
int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e);

/* stream_ask makes the next call ahead. Call it only if that call is certain, and for many messages. It does nothing after a lease of under
 * a second, because leases run while the messages wait here. If it fails, the next call reports that. */
void stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf);

/* stream_return gives back the deliveries from..count-1 of the last batch and those asked for ahead, without counting a try. -1: that
 * failed for *lost of them, which are redelivered when their leases end. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e);

void stream_free(struct stream *s);

#endif
