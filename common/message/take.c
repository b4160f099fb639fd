#include "message/take.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "message/header.h"
#include "redis/confirm.h"
#include "redis/exchange.h"
#include "redis/reply.h"

/* The reply of take.lua: HEAD numbers, then WIDTH elements for each message. */
enum { HEAD = 6, WIDTH = 6 };

static bool is_delivery(struct redisReply *const *r)
{
	return r[0]->type == REDIS_REPLY_STRING && tries_valid(r[1]) && reply_is_number(r[2]) &&
	       reply_is_number(r[3]) && r[4]->type == REDIS_REPLY_STRING &&
	       r[5]->type == REDIS_REPLY_STRING;
}

static bool is_why(const struct redisReply *r)
{
	return r->type == REDIS_REPLY_INTEGER && r->integer >= LIMIT_NONE &&
	       r->integer <= LIMIT_KEYS;
}

static bool reply_valid(const struct redisReply *reply, size_t wanted)
{
	struct redisReply **r = reply->element;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < HEAD ||
	    (reply->elements - HEAD) % WIDTH != 0 || (reply->elements - HEAD) / WIDTH > wanted)
		return false;
	if (!reply_is_number(r[0]) || r[1]->type != REDIS_REPLY_STRING || !reply_is_number(r[2]) ||
	    !reply_is_number(r[3]) || !is_why(r[4]) || r[5]->type != REDIS_REPLY_INTEGER ||
	    r[1]->len == 0 || r[1]->len > NAME_TOKEN_MAX ||
	    strspn(r[1]->str, "0123456789") != r[1]->len)
		return false;
	for (size_t i = HEAD; i < reply->elements; i += WIDTH)
		if (!is_delivery(r + i))
			return false;
	return true;
}

/* settle_make: a call of the script for deliveries from..to-1. */
static void settle_make(const struct take *t, struct queue *q, const struct script *script,
			const char *reason, size_t from, size_t to, struct call *call)
{
	queue_call(call, script, q);
	if (reason)
		call_text(call, reason);
	for (size_t i = from; i < to; i++) {
		struct redisReply **r = t->call.reply->element + HEAD + i * WIDTH;
		call_add(call, r[0]->str, r[0]->len);
		call_text(call, t->token);
	}
}

/* settle_over: n: of how many deliveries. */
static int settle_over(struct call *call, size_t n, int status, struct err *e)
{
	if (status == 0 && (call->reply->type != REDIS_REPLY_STRING || call->reply->len != n))
		status = call_unexpected(call, e);
	call_free(call);
	return status;
}

static int settle(struct take *t, struct queue *q, const struct script *script, const char *reason,
		  size_t from, size_t to, const struct wait *wait, struct err *e)
{
	struct call call = {0};
	int status;

	if (from >= to)
		return 0;
	settle_make(t, q, script, reason, from, to, &call);
	status = script == &script_ack ? confirm_run(q->x, &call, wait, e) :
					 exchange_run(q->x, &call, wait, e);
	return settle_over(&call, to - from, status, e);
}

static bool has_id(const struct take *t, struct redisReply *const *r)
{
	(void)t;
	return name_id_valid(r[0]->str, r[0]->len);
}

static bool has_lease(const struct take *t, struct redisReply *const *r)
{
	return clock_ms() < t->asked + (r[3]->integer - t->now);
}

enum { LEFT_MS = 500 }; /* of a lease, when a message is given back; or an eighth of it */

static int64_t timely_until(const struct take *t, struct redisReply *const *r)
{
	int64_t lease = r[3]->integer - t->now;

	return t->asked + lease - clock_sooner(lease / 8, LEFT_MS);
}

static bool is_timely(const struct take *t, struct redisReply *const *r)
{
	return clock_ms() < timely_until(t, r);
}

static int64_t shortest(const struct take *t)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < t->count; i++)
		least = clock_sooner(least, t->call.reply->element[HEAD + i * WIDTH + 3]->integer -
						    t->now);
	return least;
}

/* good_first moves the deliveries that are not good behind the others, and returns the number of
 * the others. Those keep their order. */
static size_t good_first(const struct take *t, size_t count,
			 bool (*is_good)(const struct take *t, struct redisReply *const *r))
{
	struct redisReply **r = t->call.reply->element + HEAD;
	size_t good = 0;

	for (size_t i = 0; i < count; i++) {
		struct redisReply **from = r + i * WIDTH, **to = r + good * WIDTH;
		if (!is_good(t, from))
			continue;
		for (size_t k = 0; k < WIDTH && from != to; k++) {
			struct redisReply *moved = from[k];
			from[k] = to[k];
			to[k] = moved;
		}
		good++;
	}
	return good;
}

/* set_aside buries messages that a foreign client put under ids that no tool could print or settle.
 * As dead letters they block nothing, and their payloads stay. The other messages are delivered,
 * even if this fails. */
static void set_aside(struct take *t, struct queue *q, size_t from, size_t to,
		      const struct wait *wait)
{
	const struct redisReply *id = t->call.reply->element[HEAD + from * WIDTH];
	const struct wait *w = wait ? wait : &q->x->conf->wait;
	/* an unread reply would be taken for that to the next call */
	const struct wait firm = wait_firm(w, w->timeout);
	char shown[100], others[40] = "";
	struct err e;
	int status;

	status = settle(t, q, &script_bury, QUEUE_FOREIGN, from, to, &firm, &e);
	if (to - from > 1)
		snprintf(others, sizeof others, ", and %zu more", to - from - 1);
	text_shown(shown, sizeof shown, id->str, id->len);
	snprintf(q->notice, sizeof q->notice, "foreign id \"%s\"%s: %s%.80s", shown, others,
		 status < 0 ? "not buried: " : "buried", status < 0 ? e.text : "");
}

/* only_leased gives back deliveries whose leases have expired: confirmation may take longer than a
 * lease. If all have expired, the caller gives them back. */
static int only_leased(struct take *t, struct queue *q, const struct wait *wait, struct err *e)
{
	static const char why[] = "confirmed only when the lease was over";
	const struct wait *w = wait ? wait : &q->x->conf->wait;
	const struct wait firm = wait_firm(w, w->timeout);
	size_t came = t->count,
	       good = durable_wanted(&q->x->conf->durable) ? good_first(t, came, has_lease) : came;
	struct err late;
	int status;

	if (good == came)
		return 0;
	if (good == 0) {
		err_set(e, DQ_TEMPORARY, "%s", why);
		e->fate = FATE_UNCONFIRMED;
		return -1;
	}
	status = settle(t, q, &script_giveback, "", good, came, &firm, &late);
	snprintf(q->notice, sizeof q->notice, "%zu of %zu leased, %s: %s", came - good, came, why,
		 status < 0 ? "redelivered when the lease ends" : "given back");
	t->count = good;
	return 0;
}

void take_send(struct take *t, struct queue *q, const struct take_conf *conf,
	       const struct wait *wait)
{
	char *count = t->numbers[0], *ttr = t->numbers[1], *budget = t->numbers[2];

	t->count = 0;
	t->asked = clock_ms();
	t->wanted = (size_t)conf->count;
	t->more = false;
	t->next = -1;
	snprintf(count, sizeof t->numbers[0], "%d", conf->count);
	snprintf(budget, sizeof t->numbers[2], "%d", QUEUE_BATCH_BYTES);
	ttr[0] = 0;
	if (conf->ttr >= 0)
		snprintf(ttr, sizeof t->numbers[1], "%lld", (long long)conf->ttr);
	queue_call(&t->call, &script_take, q);
	call_text(&t->call, count);
	call_text(&t->call, ttr);
	call_text(&t->call, conf->promote ? "1" : "0");
	call_text(&t->call, budget);
	call_text(&t->call, queue_held(conf->held, t->held));
	call_text(&t->call, conf->holder ? conf->holder : "");
	t->call.confirms = &t->durability;
	exchange_add(q->x, &t->call, wait);
}

int take_recv(struct take *t, struct queue *q, const struct wait *wait, struct err *e)
{
	struct redisReply **r;
	size_t came;

	if (exchange_wait(&t->call, wait, e) < 0)
		return -1;
	if (!reply_valid(t->call.reply, t->wanted)) {
		exchange_cut(&t->call);
		err_set(e, DQ_INTERNAL, "unexpected reply to take");
		e->fate = FATE_UNKNOWN;
		return -1;
	}
	r = t->call.reply->element;
	t->now_us = r[0]->integer;
	t->now = t->now_us / 1000;
	memcpy(t->token, r[1]->str, r[1]->len + 1);
	t->next = r[2]->integer;
	t->more = r[3]->integer != 0;
	t->why = (enum limit_why)r[4]->integer;
	t->until = r[5]->integer;
	came = (t->call.reply->elements - HEAD) / WIDTH;
	t->count = good_first(t, came, has_id);
	t->shortest = shortest(t);
	if (t->count < came)
		set_aside(t, q, t->count, came, wait);
	if (t->count && durability_check(&t->durability, q->x->conf, e) < 0)
		return -1;
	return only_leased(t, q, wait, e);
}

int take_run(struct take *t, struct queue *q, const struct take_conf *conf, const struct wait *wait,
	     struct err *e)
{
	take_send(t, q, conf, wait);
	return take_recv(t, q, wait, e);
}

bool take_expected(struct take *t)
{
	if (t->call.state == CALL_WAITS)
		call_drop(&t->call);
	return t->call.state == CALL_SENT;
}

void take_delivery(const struct take *t, size_t i, struct delivery *out)
{
	struct redisReply **r = t->call.reply->element + HEAD + i * WIDTH;
	const char *record = r[4]->str;
	size_t header_len = header_split(record, r[4]->len, &out->payload);
	struct header header;

	out->id = r[0]->str;
	out->id_len = r[0]->len;
	out->tries = tries_of(r[1]);
	out->due = r[2]->integer;
	out->lease_until = r[3]->integer;
	out->len = r[4]->len - (size_t)(out->payload - record);
	out->reason = r[5]->str;
	out->reason_len = r[5]->len;
	header_read(&header, record, header_len);
	out->ttr = header.ttr;
	out->keep = header.keep;
	out->max_tries = header.tries;
	header_trace(&out->trace, record, header_len);
}

bool take_due(const struct take *t, int64_t by)
{
	return t->more || (t->next >= 0 && t->next <= by);
}

bool take_goes_on(const struct take *t, bool promote, int64_t by)
{
	return promote && t->why != LIMIT_PAUSED && t->why != LIMIT_RATE ? take_due(t, by) :
									    t->more;
}

int64_t take_since(const struct take *t, int64_t since)
{
	return since < 0 || t->count > 0 ? t->now : since;
}

void take_free(struct take *t)
{
	call_free(&t->call);
	durability_free(&t->durability);
}

int64_t take_until(const struct take *t, size_t i)
{
	return timely_until(t, t->call.reply->element + HEAD + i * WIDTH);
}

void take_timely(struct take *t, struct queue *q, const struct wait *wait)
{
	const struct wait *w = wait ? wait : &q->x->conf->wait;
	const struct wait firm = wait_firm(w, w->timeout);
	size_t came = t->count, good = good_first(t, came, is_timely);
	struct err late; /* their leases end anyway, and the next call reports a lost connection */

	if (good == came)
		return;
	settle(t, q, &script_giveback, "", good, came, &firm, &late);
	t->count = good;
	t->more = true;
}

void take_return_begin(const struct take *t, struct queue *q, size_t from, struct call *call,
		       const struct wait *wait)
{
	if (from >= t->count)
		return;
	settle_make(t, q, &script_giveback, "", from, t->count, call);
	exchange_add(q->x, call, wait);
}

int take_return_end(const struct take *t, size_t from, struct call *call, const struct wait *wait,
		    struct err *e)
{
	if (from >= t->count)
		return 0;
	return settle_over(call, t->count - from, exchange_end(call, wait, e), e);
}

int take_return(struct take *t, struct queue *q, size_t from, const struct wait *wait,
		struct err *e)
{
	struct call call = {0};

	take_return_begin(t, q, from, &call, wait);
	return take_return_end(t, from, &call, wait, e);
}

int take_ack(struct take *t, struct queue *q, size_t n, const struct wait *wait, struct err *e)
{
	return settle(t, q, &script_ack, NULL, 0, n, wait, e);
}
