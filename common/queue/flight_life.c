#include "queue/flight.h"

#include <string.h>

#include "base/clock.h"
#include "redis/nodes.h"

#define WIND_UP 900 /* ms: so a stopped tool ends within a second */

void flight_init(struct flight *f, struct conn *conn, const struct pipeline_conf *conf)
{
	memset(f, 0, sizeof *f);
	f->conf = *conf;
	f->conn = f->session.conn = conn;
	f->wait = durability_wait(conn, NULL);
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

void flight_hurry(struct flight *f)
{
	f->wait.stop_fd = -1;
	f->wait.until = clock_ms() + WIND_UP;
	f->retry_until = clock_sooner(f->retry_until, f->wait.until);
	for (struct batch *batch = f->first; batch; batch = batch->next)
		batch->retry_at = 0;
}

struct batch *flight_first(const struct flight *f, const struct queue *q)
{
	struct batch *batch = f->first;

	while (batch && batch->queue != q)
		batch = batch->next;
	return batch;
}

bool flight_waits(const struct flight *f, const struct queue *q)
{
	const struct batch *first = flight_first(f, q);

	return first && first->until;
}

bool flight_busy(const struct flight *f)
{
	bool busy = f->registration.step != REGISTRATION_NONE;

	for (const struct batch *batch = f->first; batch && !busy; batch = batch->next)
		busy = !flight_waits(f, batch->queue);
	return busy;
}

struct conn *flight_awaited(const struct flight *f)
{
	const struct registration *r = &f->registration;

	nodes_push(f->conn);
	return r->step != REGISTRATION_NONE && !r->stranded ? r->conn : batch_list_awaited(f->first);
}

int64_t flight_due(const struct flight *f)
{
	int64_t first = f->registration.stranded ? f->registration.retry_at : INT64_MAX;

	if (flight_awaited(f))
		return 0;
	for (const struct batch *batch = f->first; batch; batch = batch->next)
		if (batch->stranded && !flight_holds(f, batch))
			first = clock_sooner(first, batch->retry_at);
	return first == INT64_MAX ? 0 : first;
}

void flight_end_listing(struct flight *f, const struct err *e)
{
	if (f->registration.step == REGISTRATION_NONE)
		return;
	f->conf.refused(f->conf.ctx, f->registration.queue, 0, e);
	registration_end(&f->registration);
}

void flight_drop(struct flight *f)
{
	batch_list_free(f->first);
	batch_list_free(f->shards_changed);
	f->first = f->shards_changed = NULL;
	f->last = &f->first;
	f->count = 0;
}

bool flight_only_listing(const struct flight *f)
{
	if (f->registration.step == REGISTRATION_NONE || f->registration.conn->redis)
		return false;
	for (const struct batch *batch = f->first; batch; batch = batch->next)
		if (!batch_over(batch))
			return false;
	return true;
}

int flight_give_up(struct flight *f, struct conn *conn, const struct err *e)
{
	if (!conn->nodes || e->status == DQ_STOPPED || f->wait.until)
		return -1;
	conn_close(conn);
	nodes_note(conn, e);
	f->gone = conn;
	f->why = *e;
	f->retry_until = 0;
	if (f->registration.stranded || f->registration.conn == conn)
		flight_end_listing(f, e);
	f->registration.stranded = false;
	f->again = true;
	batch_list_strand(f->first, conn);
	batch_list_fail(f->first, conn, &f->why);
	return 0;
}

void flight_free(struct flight *f)
{
	batch_list_free(f->first);
	batch_list_free(f->spare);
	batch_list_free(f->shards_changed);
	registration_free(&f->registration);
	memset(f, 0, sizeof *f);
}
