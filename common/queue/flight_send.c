#include "queue/flight.h"

#include <string.h>

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

bool flight_holds(const struct flight *f, const struct batch *batch)
{
	for (const struct batch *b = f->first; b && b != batch; b = b->next)
		if (b->queue == batch->queue && b->stranded)
			return true;
	return false;
}

int flight_resend(struct flight *f, struct conn **conn, struct err *e)
{
	f->again = true;
	if (f->registration.stranded)
		registration_again(&f->registration);
	if (f->registration.stranded && f->registration.step != REGISTRATION_NONE && registration_send(&f->registration, f->conn, e) < 0) {
		*conn = f->registration.conn;
		return -1;
	}
	f->registration.stranded = false;
	for (struct batch *batch = f->first; batch; batch = batch->next)
		batch->ready = batch->stranded && !awaits(f, batch->queue);
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
	f->again = false;
	for (const struct batch *batch = f->first; batch; batch = batch->next)
		f->again = f->again || batch->stranded;
	return 0;
}
