#include "queue/flight.h"

#include <string.h>

#include "base/clock.h"
#include "redis/refusal.h"

int flight_send(struct flight *f, struct batch *batch, struct err *e)
{
	const struct pipeline_conf *conf = &f->conf;
	const char *fixed[PIPELINE_FIXED_MAX];
	int opened;

	memcpy(fixed, conf->fixed, sizeof fixed);
	if (batch->repeated && conf->repeat_at >= 0)
		fixed[conf->repeat_at] = conf->repeat;
	batch_build(batch, conf->script, fixed, conf->fixed_count, conf->width, conf->once);
	batch->sent_at = f->registration.ended;
	batch->durability.asked = 0;
	opened = script_way(f->conn, &batch->call, &f->wait, &batch->conn, e);
	batch->queue->conn = batch->conn;
	if (opened < 0 || script_send(batch->conn, &batch->call, e) < 0 ||
	    durability_send(&batch->durability, &batch->call, batch->queue, NULL, e) < 0)
		return -1;
	conn_push(batch->conn);
	return 0;
}

void flight_strand(struct flight *f, const struct conn *conn)
{
	f->registration.stranded = f->registration.stranded || f->registration.conn == conn;
	batch_list_strand(f->first, conn);
}

/* awaits: is a reply to a batch of that queue in flight? */
static bool awaits(const struct flight *f, const struct queue *q)
{
	for (const struct batch *batch = f->first; batch; batch = batch->next)
		if (batch->queue == q && batch_awaited(batch))
			return true;
	return false;
}

/* is_held: does an earlier batch of its queue keep a batch waiting? One that is ready goes before it; but if the queue is set aside, it
 * goes alone, because it may be refused again. */
static bool is_held(const struct flight *f, const struct batch *batch, bool ready_go_first)
{
	for (const struct batch *b = f->first; b && b != batch; b = b->next)
		if (b->queue == batch->queue && !batch_over(b) && (b->until || (b->stranded && !(ready_go_first && b->ready))))
			return true;
	return false;
}

bool flight_holds(const struct flight *f, const struct batch *batch)
{
	return is_held(f, batch, false);
}

static int resend_listing(struct flight *f, struct conn **conn, struct err *e)
{
	struct registration *r = &f->registration;

	if (!r->stranded || clock_ms() < r->retry_at)
		return 0;
	registration_again(r);
	if (r->step != REGISTRATION_NONE && registration_send(r, f->conn, e) < 0) {
		*conn = r->conn;
		return -1;
	}
	r->stranded = false;
	return 0;
}

/* mark_ready marks the batches that are sent again now: not more than the window has room for. */
static void mark_ready(struct flight *f)
{
	int room = FLIGHT_WINDOW;
	int64_t now = clock_ms();

	for (const struct batch *batch = f->first; batch; batch = batch->next)
		room -= batch_awaited(batch);
	for (struct batch *batch = f->first; batch; batch = batch->next) {
		batch->ready = room > 0 && batch->stranded && now >= batch->retry_at && !awaits(f, batch->queue) &&
			       !is_held(f, batch, true);
		room -= batch->ready;
	}
}

int flight_resend(struct flight *f, struct conn **conn, struct err *e)
{
	f->again = true;
	if (resend_listing(f, conn, e) < 0)
		return -1;
	mark_ready(f);
	for (struct batch *batch = f->first; batch; batch = batch->next) {
		if (!batch->ready)
			continue;
		batch->stranded = false;
		durability_reset(&batch->durability);
		if (flight_send(f, batch, e) < 0) {
			*conn = batch->conn;
			return -1;
		}
	}
	f->again = f->registration.stranded;
	for (const struct batch *batch = f->first; batch; batch = batch->next)
		f->again = f->again || batch->stranded;
	return 0;
}

void flight_released(struct flight *f, const struct call *done)
{
	struct batch *batch = f->first;

	while (batch && &batch->call != done)
		batch = batch->next;
	if (!batch || !batch->until || refusal_of(done->reply) != REFUSAL_NONE)
		return;
	for (struct batch *b = f->first; b; b = b->next)
		if (b->queue == batch->queue)
			b->until = b->retry_at = 0;
}
