/* stream: leases batches of one queue, and asks for the next ones while one is printed. */
#ifndef DQ_STREAM_H
#define DQ_STREAM_H

#include "message/take.h"
#include "window.h"

#define STREAM_TAKES (1 + WINDOW_MAX)

/* Zero-initialise it; stream_free at the end. */
struct stream {
	struct take *takes;              /* a ring of STREAM_TAKES, the first `used` in use: most
	                                  * tools make one call */
	int64_t sent_us[STREAM_TAKES];   /* clock_us of their calls */
	int used;
	int at;                          /* index of the last batch; the next ones follow it */
	int ahead;                       /* so many of those are asked for: their replies are in
	                                  * flight, or unread */
	struct window window;
};

/* stream_init: -1: out of memory. stream_free at the end in any case. */
int stream_init(struct stream *s);

/* stream_last returns the last batch. */
struct take *stream_last(struct stream *s);

/* stream_take fills the last batch: by a call, or with the reply to the first call made ahead.
 * Returns as take_run. If it fails, replies to calls made ahead may be in flight still:
 * stream_return. After FATE_UNCONFIRMED the deliveries are given back; so are those made ahead
 * whose leases end by now. */
int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf,
		const struct wait *wait, struct err *e);

/* stream_ask makes another call ahead. Call it only for many messages. It does nothing, and returns
 * false, if no more messages are known to be there; or after a lease of under a second, because
 * leases run while the messages wait here. If the call fails, stream_take reports that. */
bool stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf);

/* stream_wanted: for how many messages are the calls made ahead? */
int stream_wanted(const struct stream *s);

/* stream_return gives back the deliveries from..count-1 of the last batch and those asked for
 * ahead, without counting a try. -1: that failed for *lost of them, which are redelivered when
 * their leases end. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost,
		  const struct wait *wait, struct err *e);

void stream_free(struct stream *s);

#endif
