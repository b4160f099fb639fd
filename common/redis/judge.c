#include "redis/judge.h"

#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "redis/dispatch.h"
#include "redis/durability.h"
#include "redis/replica.h"
#include "redis/reply.h"
#include "redis/script.h"

/* Redirections at once; then the nodes contradict each other, and get time to agree. A call of a
 * lane holds up many others. */
#define AT_ONCE 5
#define AT_ONCE_LANE 20

/* --- refusals of a cluster --- */

static int learn(struct call *call, struct node **to)
{
	struct err odd;
	int later = nodes_learn(&call->x->nodes, call->node, call->reply, to, &odd);

	return later < 0 ? -1 : !later;
}

/* heed learns from a refusal which node has the slot. 1: send the call again at once, 0: after
 * PAUSE; -1: the reply is no such refusal, or is invalid. */
static int heed(struct call *call)
{
	struct node *to;

	switch (refusal_of(call->reply)) {
	case REFUSAL_MOVED:
		return learn(call, &to);
	case REFUSAL_ASK:
		return learn(call, &call->asking);
	case REFUSAL_LOST:
		if (call->key)
			nodes_forget(&call->x->nodes, call_slot(call));
		nodes_turn(&call->x->nodes, call->node);
		return 0;
	case REFUSAL_LATER:
	case REFUSAL_MOVING:
		return 0;
	default:
		return -1;
	}
}

static bool is_redirection(const struct redisReply *reply)
{
	return refusal_of(reply) == REFUSAL_MOVED || refusal_of(reply) == REFUSAL_ASK;
}

/* moving: its slot is being moved, and the tool serves other queues meanwhile: *e gets
 * FATE_MOVING. */
static bool moving(const struct call *call, struct err *e)
{
	return !call->lane && call->script &&
	       nodes_moving_add(&call->x->nodes, call->moving, call_slot(call), e);
}

/* contradict: a tool that serves other queues does not wait until the nodes agree which of them
 * has the slot. */
static bool contradict(const struct call *call, struct err *e)
{
	struct err why;

	err_set(&why, DQ_TEMPORARY, "the nodes do not agree which of them has it");
	if (!is_redirection(call->reply) || !moving(call, &why))
		return false;
	*e = why;
	return true;
}

/* refused_by_cluster: is a call that a cluster refused sent again? Else *e is why not. */
static bool refused_by_cluster(struct call *call, struct err *e)
{
	int64_t now = clock_ms(), next;
	int at_once;

	if (refusal_of(call->reply) == REFUSAL_MOVING && moving(call, e))
		return false;
	if ((call->until && now >= wait_limit(&call->wait, call->until)) ||
	    (at_once = heed(call)) < 0)
		return false;
	at_once = at_once && ++call->hops <= (call->lane ? AT_ONCE_LANE : AT_ONCE);
	if (!at_once && (call->hurried || contradict(call, e)))
		return false;
	if (!at_once)
		patience_moves(calls_patience(call->x), call, e);
	if (!call->until && (!at_once || !call->lane))
		call->until = patience_moving_until(calls_patience(call->x), call);
	next = now + patience_pause(calls_patience(call->x), call);
	calls_again(call, at_once ? 0 : call->until ? clock_sooner(next, call->until) : next);
	call_forget_reply(call);
	return true;
}

/* --- refusals of one server --- */

/* is_patient: is a refused call sent again? Without patience: after a loss,
 * while the server is starting. */
static bool is_patient(struct call *call, const struct err *e)
{
	const struct node *node = call->node;

	if (call->hurried)
		return false;
	if (patience_has(calls_patience(call->x)))
		return e->status == DQ_TEMPORARY && e->fate == FATE_NOT_DONE &&
		       patience_refused(calls_patience(call->x), call, e);
	return call->loss != LOSS_FAILS && node->lost_at &&
	       clock_ms() <= node->lost_at + call->wait.timeout &&
	       refusal_of(call->reply) == REFUSAL_LATER;
}

/* waits: the server refuses the call for now. Those behind it must not be done before it. */
static bool waits(struct call *call, struct err *e)
{
	if (!is_patient(call, e))
		return false;
	calls_again(call, clock_ms() + patience_pause(calls_patience(call->x), call));
	call_forget_reply(call);
	if (call->node->conn.pending && call->lane && call->loss == LOSS_REPEATS)
		calls_lose(call->x, call->node, e);
	return true;
}

/* follows: another server is the master. A call of a lane must not be overtaken by those
 * that follow it. */
static bool follows(struct call *call, struct err *e)
{
	if ((call->x->tool_repeats && call->loss == LOSS_FAILS) || call->hurried ||
	    !place_is_wrong(&call->node->conn, call->reply) ||
	    (call->until && clock_ms() >= call->until))
		return false;
	patience_refused(calls_patience(call->x), call, e);
	if (!call->until)
		call->until = patience_moving_until(calls_patience(call->x), call);
	calls_again(call, 0);
	call->elsewhere = true;
	if (call->lane) /* what is in flight there must be done after this call, and elsewhere */
		calls_lose(call->x, call->node, e);
	return true;
}

/* --- a reply --- */

/* is_good: no refusal. The others of its lane no longer wait for it. */
static void is_good(struct call *call)
{
	calls_end(call, NULL);
	for (struct call *c = call->x->first; c && call->until && call->lane; c = c->next)
		if (c->lane == call->lane)
			c->until = c->retry_at = 0;
	call->until = 0;
}

static void judge(struct call *call)
{
	struct err e;
	bool refused = call_check(call, &e) < 0;

	if (!refused || !err_passes(&e) || e.fate == FATE_SHARDS)
		patience_answered(&call->x->patience, call);
	if (refused && (call->x->nodes.cluster || refusal_is_of_a_cluster(call->reply))) {
		if (!refused_by_cluster(call, &e) &&
		    (refusal_of(call->reply) != REFUSAL_NONE || !waits(call, &e)))
			calls_end(call, e.fate == FATE_MOVING ? &e : NULL);
	} else if (!refused || (!follows(call, &e) && !waits(call, &e))) {
		is_good(call);
	}
}

/* confirmed: it has its reply; are those that confirm it complete? */
static void confirmed(struct call *call)
{
	struct durability *d = call->confirms;
	struct conn *c = &call->node->conn;
	struct err e;

	if (call->reply->type != REDIS_REPLY_ERROR && call->loss != LOSS_FAILS &&
	    durability_demoted(d, call)) {
		conn_close(c);
		durability_lost(&e);
		calls_lose(call->x, call->node, &e);
	} else if (durability_again(d, c, call)) {
		if (durability_send(d, call, c, &e) < 0)
			calls_lose(call->x, call->node, &e);
	} else if (durability_over(d, c, call)) {
		judge(call);
	}
}

/* first_error: what goes before a call belongs to it: the first of their errors is the reply. */
static void first_error(struct call *call)
{
	for (struct call *before = call->before; before; before = before->before)
		if (before->reply && before->reply->type == REDIS_REPLY_ERROR) {
			reply_free(call->reply);
			call->reply = before->reply;
			before->reply = NULL;
		}
}

/* attribute gives a reply to its call. Returns the call to judge now;
 * NULL: its reply is due still. */
static struct call *attribute(struct call *call)
{
	struct call *main = call->main ? call->main : call;

	if (main == call)
		first_error(call);
	else if (main->confirms)
		durability_hear(main->confirms, main, call);
	else
		return NULL;
	return main->reply ? main : NULL;
}

static bool is_noscript(const struct call *call, const struct redisReply *reply)
{
	return call->script && refusal_of(reply) == REFUSAL_NOSCRIPT &&
	       strcmp(call->argv[0], "EVAL") != 0;
}

/* note learns about the server. */
static void note(struct node *node, const struct call *call, const struct redisReply *reply,
		 struct nodes *n)
{
	if (refusal_of(reply) != REFUSAL_LATER)
		node->lost_at = 0; /* it is back, whatever it has to say */
	if (node->is_new && refusal_of(reply) == REFUSAL_NONE)
		nodes_serves(n, node);
	if (n->cluster && n->cluster->moving_count && call->script &&
	    refusal_of(reply) == REFUSAL_NONE)
		nodes_moved(n, call_slot(call));
	script_note(&node->conn, call->script);
}

void judge_reply(struct exchange *x, struct node *node, struct redisReply *reply, void *tag)
{
	struct call *call = tag == &node->conn.stale ? NULL : tag;
	struct err e;

	if (tag == &node->conn.stale)
		replica_heard(&node->conn, reply);
	if (!call || is_noscript(call, reply)) {
		reply_free(reply);
		if (call && dispatch_as_eval(node, call, &e) < 0)
			calls_lose(x, node, &e);
		return;
	}
	note(node, call, reply, &x->nodes);
	call_forget_reply(call);
	call->reply = reply;
	call->asking = NULL;
	call = attribute(call);
	if (call && call->confirms)
		confirmed(call);
	else if (call)
		judge(call);
}
