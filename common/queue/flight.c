#include "queue/flight.h"

#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "queue/outcome.h"
#include "redis/errors.h"
#include "redis/nodes.h"
#include "redis/place.h"
#include "redis/reply.h"
#include "redis/sock.h"

#define HOPS_MAX 20 /* redirections without another reply; then the nodes contradict each other, and get time to agree */

/* must_not_resend: may a call have been done that must not be done twice? */
static bool must_not_resend(const struct flight *f)
{
	for (const struct batch *batch = f->first; batch && f->conf.single; batch = batch->next)
		if (batch->repeated && !batch->call.reply)
			return true;
	return false;
}

/* reopen: *at is lost. It sends the calls without a reply again when that or another node is open; not after a stop. -1: *at is lost for
 * good. */
static int reopen(struct flight *f, struct conn **at, struct err *e)
{
	struct conn *conn = *at;
	struct wait wait = f->wait;

	if (f->retry_until == 0 && conn->refused)
		return -1; /* nothing was begun */
	if (f->retry_until == 0)
		f->retry_until = clock_ms() + f->wait.timeout;
	wait.until = f->retry_until;
	do {
		if (!conn->redis) /* after a signal the replies still arrive */
			batch_list_repeat(f->first, conn, e->fate == FATE_UNKNOWN);
		*at = conn;
		if (e->status != DQ_TEMPORARY || f->wait.until || must_not_resend(f) || clock_ms() > f->retry_until || conn == f->gone)
			return -1;
		flight_strand(f, conn);
		if (nodes_again(&f->session, conn, &wait, e) < 0)
			return -1;
	} while (flight_resend(f, &conn, e) < 0);
	return 0;
}

static int recover(struct flight *f, struct conn *conn, struct err *e)
{
	return reopen(f, &conn, e) == 0 ? 0 : flight_give_up(f, conn, e);
}

/* listing_send sends the present step of the listing. Returns 1, or -1 on error. */
static int listing_send(struct flight *f, struct err *e)
{
	return registration_send(&f->registration, f->conn, e) < 0 && recover(f, f->registration.conn, e) < 0 ? -1 : 1;
}

/* start_over: the server did not run that call of that batch (NULL: of the listing), but may have run later ones. It sends all again, in
 * order, on a new connection. */
static int start_over(struct flight *f, struct batch *batch, struct call *done, struct err *e)
{
	struct conn *conn = batch ? batch->conn : f->registration.conn;

	if (batch)
		batch->stranded = true;
	reply_free(done->reply);
	done->reply = NULL;
	e->fate = conn->pending ? FATE_UNKNOWN : FATE_NOT_DONE;
	conn_close(conn);
	return recover(f, conn, e) < 0 ? -1 : 1;
}

/* refused_by_node: a node of a cluster did not run that call of that batch (NULL: of the listing). It sends the call again, to the right
 * node, or after a pause until f->wait.timeout is over, but not after a stop. A batch stays ahead of later ones of its queue:
 * flight_resend. Returns as still_loading. */
static int refused_by_node(struct flight *f, struct batch *batch, struct call *done, struct err *e)
{
	int64_t now = clock_ms(), *until = batch && (batch->until || !f->retry_until) ? &batch->until : &f->retry_until;
	bool pauses;
	int at_once;

	if (script_check(done, e) == 0 || (*until && now > *until) ||
	    (at_once = script_heed(batch ? batch->conn : f->registration.conn, done, e)) < 0)
		return 0;
	pauses = !at_once || ++f->hops >= HOPS_MAX;
	if (pauses && f->wait.until)
		return 0;
	if (pauses && !*until)
		*until = now + f->wait.timeout;
	if (pauses && batch)
		batch->until = *until;
	reply_free(done->reply);
	done->reply = NULL;
	*(batch ? &batch->retry_at : &f->registration.retry_at) = pauses ? now + SCRIPT_PAUSE : 0;
	*(batch ? &batch->stranded : &f->registration.stranded) = f->again = true;
	return 1;
}

/* send_stranded sends again the calls that nodes refused, and those behind them. */
static int send_stranded(struct flight *f, struct err *e)
{
	struct conn *conn = f->conn;

	if (!f->again)
		return 0;
	if (!flight_awaited(f) && sock_wait(-1, 0, flight_due(f), f->wait.stop_fd, e) < 0)
		return -1;
	return flight_resend(f, &conn, e) < 0 ? recover(f, conn, e) : 0;
}

/* still_loading: after a reconnect a server that is starting replies LOADING for a while. It did nothing, so the call is sent again until
 * f->retry_until, to another server if there is one. Returns 1 if sent again, 0 for any other reply, -1 on error. */
static int still_loading(struct flight *f, struct call *done, struct err *e)
{
	bool wrong = place_is_wrong(f->conn, done->reply) && (!f->retry_until || clock_ms() <= f->retry_until);
	struct batch *batch = f->first;

	while (batch && &batch->call != done)
		batch = batch->next;
	if (!batch && done != &f->registration.call)
		return 0; /* this confirms a call, which itself is sent again */
	if (f->conn->nodes || refusal_is_of_a_cluster(done->reply))
		return refused_by_node(f, batch, done, e);
	if (wrong && script_check(done, e) < 0)
		return start_over(f, batch, done, e);
	if (clock_ms() > f->retry_until || script_check(done, e) == 0 || errors_kind(done->reply) != ERROR_LOADING)
		return 0;
	if (sock_wait(-1, 0, clock_ms() + 50, f->wait.stop_fd, e) < 0)
		return -1;
	if (!batch)
		return listing_send(f, e);
	if (batch->next) /* later calls may succeed before it */
		return start_over(f, batch, done, e);
	return flight_send(f, batch, e) < 0 && recover(f, f->conn, e) < 0 ? -1 : 1;
}

/* listing_begin: results of puts are reported when the list of all queues has the queue's name. Returns 1 if begun, 0 if not needed, -1 on
 * error. */
static int listing_begin(struct flight *f, struct batch *batch, struct err *e)
{
	const char *generation = outcome_unlisted(&f->conf, batch);

	if (!generation || !registration_needed(&f->registration, generation, batch->sent_at))
		return 0;
	registration_begin(&f->registration, batch->queue, generation);
	return listing_send(f, e);
}

/* listing_next reads the reply to a step. It reports a refusal: the messages are safe, and the next put tries to list the queue again. */
static int listing_next(struct flight *f, struct err *e)
{
	int next = registration_next(&f->registration, e);

	if (next < 0)
		flight_end_listing(f, e);
	return next > 0 && listing_send(f, e) < 0 ? -1 : 0;
}

/* land_batch takes *at, which is over, out of the list, and reports it. */
static void land_batch(struct flight *f, struct batch **at)
{
	struct batch *batch = *at;
	struct batch **to = outcome_of_other_shards(batch) ? batch_list_end(&f->shards_changed) : &f->spare;

	if (to == &f->spare)
		outcome_report(&f->conf, batch);
	*at = batch->next;
	if (!*at)
		f->last = at;
	batch->next = to == &f->spare ? f->spare : NULL;
	*to = batch;
	f->count--;
}

/* settle reports the batches that have their replies: results keep the order of the input, even if a call is sent again. Only those of
 * queues that are set aside come later. */
static int settle(struct flight *f, struct err *e)
{
	struct batch **at = &f->first, *batch;

	while (f->registration.step == REGISTRATION_NONE && (batch = *at)) {
		const struct batch *first = flight_first(f, batch->queue);
		int begun;
		if (batch != first || !batch_over(batch)) {
			if (!first->until)
				return 0;
			at = &batch->next;
			continue;
		}
		begun = listing_begin(f, batch, e);
		if (begun != 0)
			return begun < 0 ? -1 : 0;
		land_batch(f, at);
	}
	return 0;
}

/* listing_lost: the connection is lost for good. If only the reply to the listing is missing, it still reports the puts. */
static int listing_lost(struct flight *f, struct err *e)
{
	if (!flight_only_listing(f))
		return -1;
	flight_end_listing(f, e);
	return settle(f, e);
}

/* follow_master: the server is no longer the master. It sends that batch and all later ones again, over a new connection. Returns 1; or -1
 * on error. */
static int follow_master(struct flight *f, struct batch *batch, struct err *e)
{
	durability_reset(&batch->durability);
	conn_close(batch->conn);
	err_set(e, DQ_TEMPORARY, "the server is no master any more");
	e->fate = FATE_UNKNOWN;
	return recover(f, batch->conn, e) < 0 ? -1 : 1;
}

/* confirm notes a reply that confirms a batch, and asks for it again if it came out of order. Returns 1 for such a reply, 0 for another, -1
 * on error. */
static int confirm(struct flight *f, const struct call *done, struct err *e)
{
	for (struct batch *batch = f->first; batch; batch = batch->next) {
		bool its = durability_hear(&batch->durability, &batch->call, done);
		if (!its && done != &batch->call)
			continue;
		if (its && durability_demoted(&batch->durability, &batch->call))
			return follow_master(f, batch, e);
		if (!durability_again(&batch->durability, batch->queue, &batch->call))
			return its;
		batch->queue->conn = batch->conn; /* in a cluster a later batch may use another node */
		if (durability_send(&batch->durability, &batch->call, batch->queue, NULL, e) < 0 && recover(f, batch->conn, e) < 0)
			return -1;
		return its;
	}
	return 0;
}

int flight_land(struct flight *f, struct err *e)
{
	struct conn *conn;
	struct call *done;
	int loading, confirms;

	if (send_stranded(f, e) < 0)
		return listing_lost(f, e);
	for (conn = flight_awaited(f); conn && script_recv(conn, &f->wait, &done, e) < 0; conn = flight_awaited(f))
		if (recover(f, conn, e) < 0)
			return listing_lost(f, e);
	if (!conn)
		return settle(f, e) < 0 ? listing_lost(f, e) : 0;
	loading = still_loading(f, done, e);
	if (loading)
		return loading < 0 || settle(f, e) < 0 ? listing_lost(f, e) : 0;
	confirms = confirm(f, done, e);
	f->gone = conn == f->gone ? NULL : f->gone;
	if (confirms == 0 && !place_is_wrong(f->conn, done->reply)) {
		f->retry_until = f->hops = 0;
		flight_released(f, done);
		session_answered(&f->session);
	}
	if (confirms >= 0 && (done != &f->registration.call || listing_next(f, e) == 0) && settle(f, e) == 0)
		return 0;
	return listing_lost(f, e);
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
	batch->next = NULL;
	*f->last = batch;
	f->last = &batch->next;
	f->count++;
	batch->conn = batch->queue->conn;
	batch->stranded = flight_holds(f, batch);
	f->again = f->again || batch->stranded;
	if (batch->stranded && flight_waits(f, batch->queue))
		batch->until = clock_ms() + f->wait.timeout;
	if (!batch->stranded && flight_send(f, batch, e) < 0 && recover(f, batch->conn, e) < 0)
		return -1;
	while (is_full(f))
		if (flight_land(f, e) < 0)
			return -1;
	return 0;
}
