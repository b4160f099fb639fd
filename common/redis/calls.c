#include "redis/calls.h"

#include <hiredis.h>

#include "base/clock.h"
#include "redis/durability.h"

void calls_add(struct exchange *x, struct call *call)
{
	call->x = x;
	call->next = NULL;
	*(x->last ? &x->last->next : &x->first) = call;
	x->last = call;
}

static void take_out(struct call *call)
{
	struct exchange *x = call->x;
	struct call **at = &x->first, *before = NULL;

	while (*at != call) {
		before = *at;
		at = &before->next;
	}
	*at = call->next;
	if (x->last == call)
		x->last = before;
	call->next = NULL;
}

void calls_end(struct call *call, const struct err *why)
{
	take_out(call);
	call->state = CALL_OVER;
	call_blame(call, why);
	if (why && call->repeated)
		call->why->fate = FATE_UNKNOWN;
}

/* call_drop leaves NULL in the place of its tags: its replies are read and dropped. */
void call_drop(struct call *call)
{
	if (call->state == CALL_SENT) {
		conn_forget(&call->node->conn, call);
		for (const struct call *before = call->before; before; before = before->before)
			conn_forget(&call->node->conn, before);
		if (call->confirms)
			durability_drop(call->confirms, &call->node->conn);
	}
	if (call->state == CALL_SENT || call->state == CALL_WAITS)
		take_out(call);
	call->state = CALL_MADE;
}

void calls_again(struct call *call, int64_t retry_at)
{
	if (call->confirms)
		durability_reset(call->confirms);
	call->state = CALL_WAITS;
	call->retry_at = retry_at;
}

/* is_patient: does the call survive this loss? nothing_begun: the server refused the first
 * connection of the tool. */
static bool is_patient(const struct call *call, const struct err *e, bool nothing_begun)
{
	if (call->loss == LOSS_FAILS || call->hurried || e->status != DQ_TEMPORARY)
		return false;
	if (call->node->lost_at &&
	    clock_ms() > patience_lost_until(calls_patience(call->x), call))
		return false;
	return !nothing_begun || patience_has(calls_patience(call->x));
}

/* strand: its connection is lost. */
static void strand(struct call *call, const struct err *e, bool nothing_begun)
{
	bool done = call->reply ? call->reply->type != REDIS_REPLY_ERROR : e->fate == FATE_UNKNOWN;
	struct err why = *e;

	if (call->node->conn.nameless && call->reads && call->loss == LOSS_FAILS)
		call->loss = LOSS_REPEATS; /* once more, without the name */
	if (done)
		why.fate = FATE_UNKNOWN; /* it may be unconfirmed only: whatever else was lost */
	if (call->loss != LOSS_FAILS)
		call->repeated = call->repeated || done;
	if (!is_patient(call, e, nothing_begun) || (call->loss == LOSS_ONCE && call->repeated)) {
		enum fate fate = why.fate;
		if (call->tried && call->why && call->wait.until &&
		    clock_ms() >= call->wait.until)
			why = *call->why; /* it says more than that the time is over */
		why.fate = fate;
		calls_end(call, &why);
		return;
	}
	calls_again(call, 0);
	call_blame(call, &why);
	patience_tries(calls_patience(call->x), call, &why);
}

void calls_lose(struct exchange *x, struct node *node, const struct err *e)
{
	bool nothing_begun = node->conn.refused && !node->lost_at;
	struct err why = *e;

	if (node->conn.redis) {
		why.fate = node->conn.pending ? FATE_UNKNOWN : FATE_NOT_DONE;
		conn_close(&node->conn);
	}
	nodes_note(&x->nodes, node, &why);
	if (!node->lost_at)
		node->lost_at = clock_ms();
	for (struct call *call = x->first, *next; call; call = next) {
		next = call->next;
		if (call->state == CALL_SENT && call->node == node)
			strand(call, &why, nothing_begun);
	}
}

void calls_sweep(struct exchange *x)
{
	struct err e;

	err_set(&e, DQ_TEMPORARY, "the connection was lost before");
	e.fate = FATE_UNKNOWN;
	for (struct call *call = x->first, *next; call; call = next) {
		next = call->next;
		if (call->state == CALL_SENT &&
		    !(call->node->conn.redis && call->opened == call->node->conn.opened))
			strand(call, &e, false);
	}
}
