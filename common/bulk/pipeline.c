#include "bulk/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bulk/outcome.h"
#include "queue/shards.h"
#include "redis/nodes.h"

#define REPLY_MS 5 /* within which a reply may come */

void pipeline_init(struct pipeline *b, struct exchange *x, const struct pipeline_conf *conf)
{
	memset(b, 0, sizeof *b);
	flight_init(&b->flight, x, conf);
}

static struct batch *take_at(struct pipeline *b, struct batch **at)
{
	struct batch *batch = *at;

	*at = batch->next;
	b->open_count--;
	return batch;
}

/* take_open removes and returns the open batch of q (NULL: of any queue). */
static struct batch *take_open(struct pipeline *b, const struct queue *q)
{
	for (struct batch **at = &b->open; *at; at = &(*at)->next)
		if (!q || (*at)->queue == q)
			return take_at(b, at);
	return NULL;
}

/* take_sendable: one of a queue that is not set aside; the batches of the others can still grow. */
static struct batch *take_sendable(struct pipeline *b)
{
	for (struct batch **at = &b->open; *at; at = &(*at)->next)
		if (!flight_waits(&b->flight, (*at)->queue))
			return take_at(b, at);
	return NULL;
}

/* make_room: if there are too many open batches, it sends the one whose last item is the oldest. */
static int make_room(struct pipeline *b, struct err *e)
{
	struct batch **at = &b->open, *batch;

	if (!b->open || b->open_count < PIPELINE_OPEN_MAX)
		return 0;
	while ((*at)->next)
		at = &(*at)->next;
	batch = *at;
	*at = NULL;
	b->open_count--;
	return flight_launch(&b->flight, batch, e);
}

/* fits: can an item of so many bytes be added to the open batch of its shard? A call has repeats,
 * or other items. */
static bool fits(const struct batch *batch, size_t more, bool repeated)
{
	return !batch->items ||
	       (batch->bytes.len + more <= QUEUE_BATCH_BYTES && batch->repeated == repeated);
}

static int add(struct pipeline *b, struct queue *whole, struct queue *q, const char *const texts[],
	       const size_t lens[], size_t number, bool repeated, struct err *e)
{
	int width = b->flight.conf.width;
	struct batch *batch = take_open(b, q);
	size_t more = 0;
	int failed;

	for (int i = 0; i < width; i++)
		more += lens[i] + 1;
	if (batch && !fits(batch, more, repeated)) {
		if (flight_launch(&b->flight, batch, e) < 0)
			return -1;
		batch = NULL;
	}
	if (!batch && make_room(b, e) < 0)
		return -1;
	if (!batch && !(batch = flight_batch(&b->flight, q)))
		return err_memory(e);
	batch->whole = whole;
	batch->repeated = repeated;
	failed = batch_add(batch, width, texts, lens, number);
	if (!failed && batch->items == BATCH_ITEMS_MAX)
		return flight_launch(&b->flight, batch, e);
	batch->next = b->open;
	b->open = batch;
	b->open_count++;
	return failed ? err_memory(e) : 0;
}

/* take_shards_changed removes and returns the batches of that queue, in the order of sending. */
static struct batch *take_shards_changed(struct pipeline *b, const struct queue *whole)
{
	struct batch *list = NULL, **end = &list, **lists[] = {&b->flight.shards_changed, &b->open};

	for (size_t i = 0; i < 2; i++) {
		for (struct batch **at = lists[i]; *at;) {
			struct batch *batch = *at;
			if (batch->whole != whole) {
				at = &batch->next;
				continue;
			}
			*at = batch->next;
			b->open_count -= i == 1;
			batch->next = NULL;
			*end = batch;
			end = &batch->next;
		}
	}
	return list;
}

/* give_up counts items without a reply. perhaps: a call that was sent may have done them. */
static void give_up(struct pipeline *b, bool perhaps, size_t items)
{
	if (perhaps)
		b->unanswered += items;
	else
		b->unsent += items;
}

/* add_again adds the items of a batch of another number of shards to the right shards. */
static int add_again(struct pipeline *b, struct batch *batch, struct err *e)
{
	struct queue *whole = batch->whole;
	const char *texts[BATCH_WIDTH_MAX];
	size_t lens[BATCH_WIDTH_MAX], i = 0;
	int status = 0;

	for (; i < batch->items && status == 0; i++) {
		batch_item(batch, b->flight.conf.width, i, texts, lens);
		status = add(b, whole, shards_find(whole, texts[0], lens[0]), texts, lens,
			     batch->numbers[i], batch->repeated, e);
	}
	give_up(b, batch->repeated, batch->items - i);
	flight_spare(&b->flight, batch);
	return status;
}

/* refuse reports the items of a batch of another number of shards: it is not known where they
 * belong. */
static void refuse(struct pipeline *b, struct batch *batch, const struct err *why)
{
	const struct pipeline_conf *conf = &b->flight.conf;
	struct err e = *why;

	if (batch->repeated)
		e.fate = FATE_UNKNOWN;
	conf->refused(conf->ctx, batch->whole, batch->items, &e);
	flight_spare(&b->flight, batch);
}

/* regroup: a queue has another number of shards than was thought. When nothing is in flight, it
 * learns the number, and adds their items again: as repeats, if the reply to an earlier sending was
 * lost, which may have been done before the queue had these shards. If it cannot learn the number,
 * it reports the items as refused. */
static int regroup(struct pipeline *b, struct err *e)
{
	int status = 0;

	while (b->flight.shards_changed && status == 0) {
		struct queue *whole = b->flight.shards_changed->whole;
		struct batch *list, *next;
		struct err why;
		int learnt;
		while (b->flight.first)
			if (flight_land(&b->flight, e) < 0)
				return -1;
		list = take_shards_changed(b, whole);
		learnt = shards_learn(whole, &why);
		for (; list && status == 0; list = next) {
			next = list->next;
			if (learnt == 0) {
				status = add_again(b, list, e);
				continue;
			}
			refuse(b, list, &why);
		}
		*batch_list_end(&b->flight.shards_changed) = list;
	}
	return status;
}

int pipeline_add_at(struct pipeline *b, struct queue *whole, int shard, const char *const texts[],
		    const size_t lens[], struct err *e)
{
	if (add(b, whole, shards_at(whole, shard), texts, lens, b->added++, false, e) < 0)
		return -1;
	return regroup(b, e);
}

int pipeline_add(struct pipeline *b, struct queue *q, const char *const texts[],
		 const size_t lens[], struct err *e)
{
	return pipeline_add_at(b, q, shards_find(q, texts[0], lens[0])->shard, texts, lens, e);
}

int pipeline_finish(struct pipeline *b, struct err *e)
{
	struct batch *batch;

	do {
		while ((batch = take_open(b, NULL)))
			if (flight_launch(&b->flight, batch, e) < 0)
				return -1;
		while (b->flight.first)
			if (flight_land(&b->flight, e) < 0)
				return -1;
		if (regroup(b, e) < 0)
			return -1;
	} while (b->open || b->flight.first);
	return 0;
}

/* send_sendable is pipeline_finish without the queues that are set aside. */
static int send_sendable(struct pipeline *b, struct err *e)
{
	struct batch *batch;

	for (;;) {
		while (flight_busy(&b->flight))
			if (flight_land(&b->flight, e) < 0)
				return -1;
		if (regroup(b, e) < 0)
			return -1;
		batch = take_sendable(b);
		if (!batch && !flight_busy(&b->flight))
			return 0;
		for (; batch; batch = take_sendable(b))
			if (flight_launch(&b->flight, batch, e) < 0)
				return -1;
	}
}

static int64_t next_look(const struct flight *f)
{
	int64_t soon = clock_ms() + REPLY_MS, due = flight_due(f);

	return due > soon ? due : soon;
}

int pipeline_flush(struct pipeline *b, struct meanwhile *meanwhile, int64_t *again_at,
		   struct err *e)
{
	struct flight *f = &b->flight;
	int status = 0;

	f->wait.meanwhile = meanwhile;
	if (f->first && flight_due(f) <= clock_ms())
		status = flight_land(f, e);
	if (status == 0)
		status = send_sendable(b, e);
	f->wait.meanwhile = NULL;
	if (status < 0)
		return -1;
	*again_at = f->first || b->open ? next_look(f) : -1;
	return 0;
}

/* with_id: how many of its items have an id? An item about the queue itself has none,
 * and no others beside it. */
static size_t with_id(const struct batch *batch)
{
	return batch->items > 0 && *batch->bytes.bytes ? batch->items : 0;
}

/* name_lost sets the name with which messages begin. */
static void name_lost(struct pipeline *b, const struct batch *batch, const struct queue **queue)
{
	bool first = !*queue;

	if (first && with_id(batch) == 1)
		snprintf(b->object, sizeof b->object, "%s/%s: ", batch->queue->name,
			 batch->bytes.bytes);
	else if (first || !strcmp((*queue)->name, batch->queue->name))
		snprintf(b->object, sizeof b->object, "%s: ", batch->queue->name);
	else
		snprintf(b->object, sizeof b->object, "%s and other queues: ", (*queue)->name);
	if (first)
		*queue = batch->queue;
}

/* abandon counts the items without a reply, and drops them. */
static void abandon(struct pipeline *b, const struct err *e)
{
	const struct queue *queue = NULL;

	flight_end_listing(&b->flight, e);
	for (struct batch *batch = b->flight.first; batch; batch = batch->next) {
		if (!batch->call.reply)
			name_lost(b, batch, &queue);
		if (batch->call.reply)
			outcome_report(&b->flight.conf, batch);
		else
			give_up(b, call_perhaps_done(&batch->call), with_id(batch));
	}
	*batch_list_end(&b->flight.shards_changed) = b->open;
	b->open = NULL;
	for (struct batch *batch = b->flight.shards_changed; batch; batch = batch->next) {
		name_lost(b, batch, &queue);
		give_up(b, batch->repeated, with_id(batch));
	}
	flight_drop(&b->flight);
	b->open_count = 0;
}

bool pipeline_wind_up(struct pipeline *b, const struct err *e)
{
	struct err late;

	if (e->status == DQ_STOPPED && nodes_left(&b->flight.x->nodes)) {
		flight_hurry(&b->flight);
		if (pipeline_finish(b, &late) == 0)
			return true;
	}
	abandon(b, e);
	return false;
}

void pipeline_free(struct pipeline *b)
{
	flight_free(&b->flight);
	batch_list_free(b->open);
	memset(b, 0, sizeof *b);
}
