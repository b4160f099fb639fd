#include "queue/durability.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/errors.h"
#include "redis/nodes.h"
#include "redis/reply.h"

#define ASKED_MAX 5 /* after so many the server forgets its scripts all the time: not confirmed */

static bool is_wanted(const struct conn *c)
{
	return durable_wanted(&c->conf.durable);
}

void durability_reset(struct durability *d)
{
	d->touches = d->waits = d->asked = 0;
	d->heard = false;
}

/* wait_ms returns the time-out of WAIT. It is never 0, which means forever. */
static int64_t wait_ms(const struct conn *c, const struct wait *wait)
{
	int64_t ms = c->conf.durable.ms, left;

	if (!wait || !wait->until)
		return ms;
	left = (wait->until - clock_ms()) / 2;
	return left < 1 ? 1 : clock_sooner(ms, left);
}

static void wait_call(struct durability *d, const struct conn *c, const struct wait *wait)
{
	const struct durable *asked = &c->conf.durable;

	snprintf(d->replicas, sizeof d->replicas, "%d", asked->replicas);
	snprintf(d->ms, sizeof d->ms, "%lld", (long long)wait_ms(c, wait));
	call_plain(&d->wait, asked->fsync ? "WAITAOF" : "WAIT");
	if (asked->fsync)
		call_text(&d->wait, "1");
	call_text(&d->wait, d->replicas);
	call_text(&d->wait, d->ms);
}

int durability_send(struct durability *d, const struct call *call, struct queue *q, const struct wait *wait, struct err *e)
{
	if (!is_wanted(q->conn) || (!call->reply && !script_is_known(q->conn, call->script)))
		return 0;
	d->heard = false;
	queue_call(&d->touch, &script_touch, q);
	wait_call(d, q->conn, wait);
	if (script_send(q->conn, &d->touch, e) < 0 || script_send(q->conn, &d->wait, e) < 0)
		return -1;
	d->touches++;
	d->waits++;
	d->asked++;
	return 0;
}

bool durability_hear(struct durability *d, const struct call *call, const struct call *done)
{
	d->touches -= done == &d->touch;
	if (done == &d->wait) {
		d->waits--;
		d->heard = call->reply && d->touches == 0;
	}
	return done == &d->wait || done == &d->touch;
}

bool durability_idle(const struct durability *d)
{
	return d->touches == 0 && d->waits == 0;
}

/* is_quiet: has the call its reply, and have all that followed it? */
static bool is_quiet(const struct durability *d, const struct call *call)
{
	return call->reply && durability_idle(d);
}

bool durability_over(const struct durability *d, const struct queue *q, const struct call *call)
{
	return is_quiet(d, call) && (d->heard || d->asked >= ASKED_MAX || !is_wanted(q->conn));
}

bool durability_again(const struct durability *d, const struct queue *q, const struct call *call)
{
	return is_quiet(d, call) && !d->heard && d->asked < ASKED_MAX && is_wanted(q->conn);
}

bool durability_demoted(const struct durability *d, const struct call *call)
{
	if (!call->reply || call->reply->type == REDIS_REPLY_ERROR)
		return false; /* the call did nothing that could be lost */
	return d->heard && (errors_kind(d->wait.reply) == ERROR_UNBLOCKED || errors_kind(d->touch.reply) == ERROR_READONLY);
}

struct wait durability_wait(const struct conn *c, const struct wait *wait)
{
	struct wait longer = wait ? *wait : c->conf.wait;

	if (is_wanted(c))
		longer.timeout += c->conf.durable.ms;
	return longer;
}

int durability_recv(struct durability *d, struct queue *q, const struct call *call, const struct wait *wait, struct err *e)
{
	const struct wait longer = durability_wait(q->conn, wait);
	struct call *done;

	while (!durability_over(d, q, call)) {
		if (script_recv(q->conn, &longer, &done, e) < 0)
			return -1;
		durability_hear(d, call, done);
		if (durability_again(d, q, call) && durability_send(d, call, q, wait, e) < 0)
			return -1;
	}
	return 0;
}

static int unconfirmed(struct err *e, enum status status, const char *why)
{
	char text[sizeof e->text];

	snprintf(text, sizeof text, "%s", why);
	err_set(e, status, "not confirmed: %s", text);
	e->fate = FATE_UNCONFIRMED;
	return -1;
}

/* refused: an error reply to WAIT, WAITAOF or touch. */
static int refused(const struct call *call, struct err *e)
{
	enum error_kind kind = errors_kind(call->reply);

	if (kind == ERROR_NO_WAITAOF)
		return err_set(e, DQ_CONFIG, "--fsync needs Redis 7.2 or later, or Valkey");
	if (kind == ERROR_NO_AOF)
		return err_set(e, DQ_CONFIG, "--fsync: appendonly is off");
	reply_failed(call->reply, e);
	if (e->status != DQ_AUTH)
		e->status = DQ_TEMPORARY;
	return -1;
}

/* counted compares the count of WAIT or WAITAOF with the wanted one. */
static int counted(const struct durable *asked, bool local, long long replicas, struct err *e)
{
	bool few = replicas < asked->replicas;
	char why[80];

	if (local && !few)
		return 0;
	snprintf(why, sizeof why, "%s%lld of %d replicas", local ? "" : "not on disk, ", replicas, asked->replicas);
	return unconfirmed(e, DQ_TEMPORARY, few ? why : "not on disk");
}

int durability_check(const struct durability *d, const struct queue *q, struct err *e)
{
	const struct durable *asked = &q->conn->conf.durable;
	const struct redisReply *reply = d->wait.reply;

	if (!is_wanted(q->conn))
		return 0;
	if (!d->heard)
		return unconfirmed(e, DQ_TEMPORARY, "no answer");
	if (d->touch.reply->type == REDIS_REPLY_ERROR || reply->type == REDIS_REPLY_ERROR) {
		refused(reply->type == REDIS_REPLY_ERROR ? &d->wait : &d->touch, e);
		return unconfirmed(e, e->status, e->text);
	}
	if (!asked->fsync && reply_is_number(reply))
		return counted(asked, true, reply->integer, e);
	if (asked->fsync && reply_is_array(reply, 2, REDIS_REPLY_INTEGER))
		return counted(asked, reply->element[0]->integer >= 1, reply->element[1]->integer, e);
	return unconfirmed(e, DQ_INTERNAL, asked->fsync ? "unexpected reply to WAITAOF" : "unexpected reply to WAIT");
}

/* demoted: the owner of the connection repeats the call on the new master. */
static int demoted(struct queue *q, struct err *e)
{
	conn_close(q->conn);
	err_set(e, DQ_TEMPORARY, "the server is no master any more");
	e->fate = FATE_UNKNOWN;
	return -1;
}

/* run_once sends the call once, with the commands that confirm it. */
static int run_once(struct queue *q, struct call *call, const struct wait *wait, struct err *e)
{
	struct durability d = {.waits = 0};
	int status = -1;

	if (script_moving(q->conn, call, e))
		return -1;
	if (script_way(q->conn, call, wait, &q->conn, e) < 0 || script_send(q->conn, call, e) < 0 ||
	    durability_send(&d, call, q, wait, e) < 0 || durability_recv(&d, q, call, wait, e) < 0)
		conn_close(q->conn); /* stopped: no reply may arrive for a call that no longer exists */
	else if (script_check(call, e) == 0)
		status = q->conn->kept && durability_demoted(&d, call) ? demoted(q, e) : durability_check(&d, q, e);
	durability_free(&d);
	return status;
}

int durability_run(struct queue *q, struct call *call, const struct wait *wait, struct err *e)
{
	struct script_again how = {.wait = {0}};
	int status;

	do
		status = run_once(q, call, wait, e);
	while (status < 0 && script_again(q->conn, call, wait, &how, e));
	if (status < 0)
		nodes_note(q->conn, e);
	return status;
}

int durability_possible(struct conn *c, struct err *e)
{
	struct call call = {0};
	int status = 0;

	if (!c->conf.durable.fsync)
		return 0;
	call_plain(&call, "WAITAOF");
	call_text(&call, "1");
	call_text(&call, "0");
	call_text(&call, "1");
	if (script_run(c, &call, NULL, e) < 0 && call.reply)
		status = refused(&call, e);
	call_free(&call);
	return status < 0 && (e->status == DQ_CONFIG || e->status == DQ_AUTH) ? -1 : 0;
}

void durability_free(struct durability *d)
{
	call_free(&d->touch);
	call_free(&d->wait);
}
