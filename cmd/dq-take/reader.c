#include "reader.h"

#include "base/clock.h"
#include "deliver.h"
#include "tool/out.h"

/* calls for each reply, until enough are on their way: together they would hold up other clients */
#define AT_ONCE 2

static int64_t soonest(int64_t a, int64_t until)
{
	return until < 0 ? a : clock_sooner(a, until);
}

/* await waits (out_room, out_await) until `until`, or only looks once if it has nothing to wait for
 * yet. What is leased, and marks, do not wait with it. */
static int await(struct taker *t, int (*waits)(int64_t until_us, struct err *e), int64_t first,
		 int64_t until, struct err *e)
{
	struct err late; /* the next call to Redis reports it */
	int got = waits(t->stream.ahead ? soonest(clock_us() + WINDOW_STALL_US, until) : first, e);

	if (got <= 0 && t->stream.ahead) /* its leases run, and it cannot be written yet */
		deliver_late(t, &t->rounds.list.all[t->at]);
	if (got != 0)
		return got;
	if (t->waits)
		waiter_rest(&t->rounds.waiter, NULL, &late);
	return waits(until, e);
}

int reader_room(struct taker *t, int64_t until, struct err *e)
{
	return await(t, out_room, 0, until, e);
}

int reader_await(struct taker *t, int64_t until, struct err *e)
{
	int read;

	/* What others have written counts only at the beginning: later this tool may hold a mark,
	 * and other tools would wait for it. */
	if (!t->reader || (t->began && t->unread == 0))
		return reader_room(t, until, e);
	t->began = true;
	read = await(t, out_await, until, until, e);
	if (read > 0 && t->unread > 0) {
		pace_read(&t->pace, t->unread, clock_us());
		t->unread = 0;
	}
	return read;
}

/* most: how many calls may be ahead. */
static int most_ahead(const struct taker *t)
{
	if (t->waits)
		return t->options->follow;
	if (durable_wanted(&t->x->conf->durable))
		return 1;
	/* With -n alone nothing says whether the reader keeps up. A near server gives the next
	 * messages when they are wanted. */
	if (!t->options->until_empty && window_size(&t->stream.window) == 1 && out_has_reader())
		return 0;
	return window_size(&t->stream.window);
}

/* next_count: for how many messages the next call may be; 0: there is to be none. */
static int next_count(const struct taker *t, int wanted)
{
	bool lasts = t->options->follow || t->options->until_empty;
	int asked = stream_wanted(&t->stream);
	int count = wanted > asked ? wanted - asked : lasts ? t->pace.count : 0;

	if (count > QUEUE_BATCH)
		count = QUEUE_BATCH;
	return !t->reader || wanted > asked || asked + count <= t->pace.soon ? count : 0;
}

void reader_ahead(struct taker *t, struct queue *q, const struct take_conf *conf, int wanted)
{
	struct take_conf next = *conf;
	int most = most_ahead(t);

	next.held = waiter_held(&t->rounds.waiter, t->at);
	for (int i = 0; i < AT_ONCE && t->stream.ahead < most; i++) {
		next.count = next_count(t, wanted);
		if (next.count == 0 || !stream_ask(&t->stream, q, &next))
			return;
	}
}
