#include "queue/flight.h"

#include <string.h>

#include "base/clock.h"

#define WIND_UP 900 /* ms: with it a stopped tool ends within a second */

void flight_init(struct flight *f, struct conn *conn, const struct pipeline_conf *conf)
{
	memset(f, 0, sizeof *f);
	f->conf = *conf;
	f->conn = f->session.conn = conn;
	f->wait = durability_patience(conn, NULL);
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

void flight_hurry(struct flight *f)
{
	f->wait.stop_fd = -1;
	f->wait.until = clock_ms() + WIND_UP;
	f->retry_until = clock_sooner(f->retry_until, f->wait.until);
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
	f->first = NULL;
	f->last = &f->first;
	f->count = 0;
}

void flight_free(struct flight *f)
{
	batch_list_free(f->first);
	batch_list_free(f->spare);
	registration_free(&f->registration);
	memset(f, 0, sizeof *f);
}
