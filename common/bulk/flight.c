#include "bulk/flight.h"

#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "bulk/outcome.h"
#include "queue/registry.h"
#include "redis/exchange.h"

#define WIND_UP 900 /* ms: so a stopped tool ends within a second */

void flight_init(struct flight *f, struct exchange *x, const struct pipeline_conf *conf)
{
	memset(f, 0, sizeof *f);
	f->conf = *conf;
	f->x = x;
	f->wait = durability_wait(x->conf, &x->conf->wait);
	f->last = &f->first;
}

struct batch *flight_batch(struct flight *f, struct queue *q)
{
	struct batch *batch = f->spare;

	if (!batch)
		return batch_new(q);
	f->spare = batch->next;
	batch_reset(batch, q);
	return batch;
}

void flight_spare(struct flight *f, struct batch *batch)
{
	batch->next = f->spare;
	f->spare = batch;
}

static struct batch *first_of(const struct flight *f, const struct queue *q)
{
	struct batch *batch = f->first;

	while (batch && batch->queue != q)
		batch = batch->next;
	return batch;
}

bool flight_waits(const struct flight *f, const struct queue *q)
{
	const struct batch *first = first_of(f, q);

	return first && first->call.until;
}

bool flight_busy(const struct flight *f)
{
	bool busy = false;

	for (const struct batch *batch = f->first; batch && !busy; batch = batch->next)
		busy = !flight_waits(f, batch->queue);
	return busy;
}

int64_t flight_due(const struct flight *f)
{
	int64_t due = exchange_due(f->x);

	return due == INT64_MAX ? 0 : due;
}

/* --- listing --- */

/* ask: as exchange_run, but a stop leaves the connection, on which batches are. until: clock_ms;
 * 0: as long as a first try may last. */
static int ask(struct flight *f, struct call *call, enum call_loss loss, int64_t until,
	       struct err *e)
{
	struct wait w = f->wait;
	int status;

	if (until)
		w.until = w.until ? clock_sooner(w.until, until) : until;
	call->loss = loss;
	call->hurried = f->hurried;
	exchange_add(f->x, call, &w);
	status = exchange_wait(call, &w, e);
	call_drop(call);
	return status;
}

/* begins_anew: a loop without a pause would ask the nodes of a cluster that are there all the
 * time. (The exchange pauses before it opens another server again.) */
static bool begins_anew(struct flight *f, int64_t *until, struct err *e)
{
	if (!*until)
		*until = clock_ms() + nodes_moving_for(f->x->conf);
	if (e->status == DQ_STOPPED || f->hurried || clock_ms() >= *until)
		return false;
	return !f->x->nodes.cluster || nodes_pause(&f->x->nodes, &f->wait, e) == 0;
}

/* list adds the queue to the list of all queues. If the connection is lost before the last reply,
 * another server may lack the name: then it begins anew, for nodes_moving_for. */
static int list(struct flight *f, struct queue *q, struct err *e)
{
	struct call call = {0};
	int64_t until = 0;
	int status;

	do {
		registry_add_call(&call, q, f->generation);
		status = ask(f, &call, LOSS_REPEATS, until, e);
		if (status < 0)
			break;
		if (registry_added(&call))
			registry_announce(q, call.node, e);
		registry_listed_call(&call, q, f->generation);
		status = ask(f, &call, LOSS_ENDS, until, e);
		if (call.reply)
			/* whatever it is: the list has the name, and nothing else matters */
			status = 0;
	} while (status < 0 && begins_anew(f, &until, e));
	call_free(&call);
	return status;
}

/* list_queue: results of puts are reported when the list of all queues has the queue's name. A
 * refusal is reported: the messages are safe, and the next put tries again. -1: stopped. */
static int list_queue(struct flight *f, const struct batch *batch, struct err *e)
{
	const char *generation = outcome_unlisted(&f->conf, batch);

	if (!generation || (batch->sent_at != f->listed && !batch->call.repeated &&
			    !strcmp(generation, f->generation)))
		return 0;
	strcpy(f->generation, generation);
	f->listing = batch->queue;
	if (list(f, batch->queue, e) < 0) {
		if (e->status == DQ_STOPPED)
			return -1;
		flight_end_listing(f, e);
	}
	f->listing = NULL;
	f->listed++;
	return 0;
}

void flight_end_listing(struct flight *f, const struct err *e)
{
	if (f->listing)
		f->conf.refused(f->conf.ctx, f->listing, 0, e);
	f->listing = NULL;
}

/* --- landing --- */

/* land takes *at, which is over, out of the list, and reports it. */
static void land(struct flight *f, struct batch **at)
{
	struct batch *batch = *at;
	struct batch **to = outcome_of_other_shards(batch) ? batch_list_end(&f->shards_changed) :
							     &f->spare;

	batch->repeated = batch->call.repeated;
	if (to == &f->spare)
		outcome_report(&f->conf, batch);
	*at = batch->next;
	if (!*at)
		f->last = at;
	batch->next = to == &f->spare ? f->spare : NULL;
	*to = batch;
	f->count--;
}

/* settle reports the batches that are over: results keep the order of the input, even if a call is
 * sent again. Only those of queues that are set aside come later. In a cluster a lost node fails
 * only its own batches. */
static int settle(struct flight *f, struct err *e)
{
	struct batch **at = &f->first, *batch;

	while ((batch = *at)) {
		const struct batch *first = first_of(f, batch->queue);
		const struct err *why = batch->call.why;
		if (batch != first || batch->call.state != CALL_OVER) {
			if (!first->call.until)
				return 0;
			at = &batch->next;
			continue;
		}
		if (why && (!f->x->nodes.cluster || f->hurried || why->status == DQ_STOPPED)) {
			*e = *why;
			return -1;
		}
		if (list_queue(f, batch, e) < 0)
			return -1;
		land(f, at);
	}
	return 0;
}

int flight_land(struct flight *f, struct err *e)
{
	int before = f->count;

	if (settle(f, e) < 0)
		return -1;
	if (f->count < before || !f->first)
		return 0;
	return exchange_step(f->x, &f->wait, e) < 0 ? -1 : settle(f, e);
}

static bool is_full(const struct flight *f)
{
	int aside = 0;

	for (const struct batch *batch = f->first; batch; batch = batch->next)
		aside += flight_waits(f, batch->queue);
	return f->count - aside >= FLIGHT_WINDOW || aside >= FLIGHT_ASIDE;
}

int flight_launch(struct flight *f, struct batch *batch, struct err *e)
{
	const struct pipeline_conf *conf = &f->conf;
	struct call *call = &batch->call;

	batch->next = NULL;
	*f->last = batch;
	f->last = &batch->next;
	f->count++;
	batch->sent_at = f->listed;
	batch_build(batch, conf->script, conf->fixed, conf->fixed_count, conf->width, conf->once);
	call->loss = conf->single ? LOSS_ONCE : LOSS_REPEATS;
	call->lane = batch->queue;
	call->confirms = &batch->durability;
	call->repeat = conf->repeat_at >= 0 ? conf->repeat : NULL;
	call->repeat_at = call->key + PART_COUNT + conf->repeat_at;
	call->sent_before = batch->repeated;
	call->hurried = f->hurried;
	exchange_add(f->x, call, NULL);
	exchange_push(f->x);
	while (is_full(f))
		if (flight_land(f, e) < 0)
			return -1;
	return 0;
}

/* --- ending --- */

void flight_hurry(struct flight *f)
{
	f->hurried = true;
	f->wait.stop_fd = -1;
	f->wait.until = clock_ms() + WIND_UP;
	for (struct batch *batch = f->first; batch; batch = batch->next) {
		batch->call.hurried = true;
		batch->call.retry_at = 0;
	}
}

void flight_drop(struct flight *f)
{
	batch_list_free(f->first);
	batch_list_free(f->shards_changed);
	f->first = f->shards_changed = NULL;
	f->last = &f->first;
	f->count = 0;
}

void flight_free(struct flight *f)
{
	flight_drop(f);
	batch_list_free(f->spare);
	memset(f, 0, sizeof *f);
}
