#include "reader.h"

#include "base/clock.h"
#include "deliver.h"
#include "tool/out.h"

#define STALL_US 1000000 /* the reader has stopped */

int reader_await(struct taker *t, int64_t deadline, struct err *e)
{
	int64_t until = deadline < 0 ? -1 : deadline * 1000;
	int read;

	/* What others have written counts only at the beginning: later this tool may hold a mark, and other tools would wait for it. */
	if (!t->reader || (t->began && t->unread == 0))
		return 1;
	t->began = true;
	read = out_await(t->stream.ahead ? clock_us() + STALL_US : until, e);
	if (read <= 0 && t->stream.ahead) { /* its leases run, and it cannot be written yet */
		deliver_late(t, &t->list.all[t->at]);
		read = read < 0 ? -1 : out_await(until, e);
	}
	if (read > 0 && t->unread > 0) {
		pace_read(&t->pace, t->unread, clock_us());
		t->unread = 0;
	}
	return read;
}

void reader_ahead(struct taker *t, struct queue *q, const struct take_conf *conf, int wanted)
{
	struct take_conf next = *conf;

	next.held = waiter_held(&t->waiter, t->at);
	next.count = wanted > 0 ? wanted : t->pace.count;
	if (next.count > QUEUE_BATCH)
		next.count = QUEUE_BATCH;
	if (!t->reader || wanted > 0 || next.count <= t->pace.soon)
		stream_ask(&t->stream, q, &next);
}
