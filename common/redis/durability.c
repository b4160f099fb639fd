#include "redis/durability.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/errors.h"
#include "redis/reply.h"
#include "redis/script.h"

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

int durability_send(struct durability *d, struct call *call, struct conn *c, struct err *e)
{
	if (!is_wanted(c) || (!call->reply && !script_is_known(c, call->script)))
		return 0;
	d->heard = false;
	call_like(&d->touch, &script_touch, call);
	wait_call(d, c, &call->wait);
	d->touch.main = d->wait.main = call;
	if (call_send(&d->touch, c, e) < 0 || call_send(&d->wait, c, e) < 0)
		return -1;
	d->touches++;
	d->waits++;
	d->asked++;
	return 0;
}

void durability_hear(struct durability *d, const struct call *call, const struct call *done)
{
	d->touches -= done == &d->touch;
	if (done == &d->wait) {
		d->waits--;
		d->heard = call->reply && d->touches == 0;
	}
}

/* is_quiet: has the call its reply, and have all that followed it? */
static bool is_quiet(const struct durability *d, const struct call *call)
{
	return call->reply && d->touches == 0 && d->waits == 0;
}

bool durability_over(const struct durability *d, const struct conn *c, const struct call *call)
{
	return is_quiet(d, call) && (d->heard || d->asked >= ASKED_MAX || !is_wanted(c));
}

bool durability_again(const struct durability *d, const struct conn *c, const struct call *call)
{
	return is_quiet(d, call) && !d->heard && d->asked < ASKED_MAX && is_wanted(c);
}

void durability_drop(struct durability *d, struct conn *c)
{
	conn_forget(c, &d->touch);
	conn_forget(c, &d->wait);
	durability_reset(d);
}

bool durability_demoted(const struct durability *d, const struct call *call)
{
	if (!call->reply || call->reply->type == REDIS_REPLY_ERROR)
		return false; /* the call did nothing that could be lost */
	return d->heard && (errors_kind(d->wait.reply) == ERROR_UNBLOCKED ||
			    errors_kind(d->touch.reply) == ERROR_READONLY);
}

int durability_lost(struct err *e)
{
	err_set(e, DQ_TEMPORARY, "the server is no master any more");
	e->fate = FATE_UNKNOWN;
	return -1;
}

struct wait durability_wait(const struct conn_conf *conf, const struct wait *wait)
{
	struct wait longer = *wait;

	if (durable_wanted(&conf->durable))
		longer.timeout += conf->durable.ms;
	return longer;
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
int durability_refused(const struct call *call, struct err *e)
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
	snprintf(why, sizeof why, "%s%lld of %d replicas", local ? "" : "not on disk, ", replicas,
		 asked->replicas);
	return unconfirmed(e, DQ_TEMPORARY, few ? why : "not on disk");
}

int durability_check(const struct durability *d, const struct conn_conf *conf, struct err *e)
{
	const struct durable *asked = &conf->durable;
	const struct redisReply *reply = d->wait.reply;

	if (!durable_wanted(asked))
		return 0;
	if (!d->heard)
		return unconfirmed(e, DQ_TEMPORARY, "no answer");
	if (d->touch.reply->type == REDIS_REPLY_ERROR || reply->type == REDIS_REPLY_ERROR) {
		durability_refused(reply->type == REDIS_REPLY_ERROR ? &d->wait : &d->touch, e);
		return unconfirmed(e, e->status, e->text);
	}
	if (!asked->fsync && reply_is_number(reply))
		return counted(asked, true, reply->integer, e);
	if (asked->fsync && reply_is_array(reply, 2, REDIS_REPLY_INTEGER))
		return counted(asked, reply->element[0]->integer >= 1, reply->element[1]->integer,
			       e);
	return unconfirmed(e, DQ_INTERNAL,
			   asked->fsync ? "unexpected reply to WAITAOF" :
					  "unexpected reply to WAIT");
}

void durability_free(struct durability *d)
{
	call_free(&d->touch);
	call_free(&d->wait);
}
