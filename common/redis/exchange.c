#include "redis/exchange.h"

#include <hiredis.h>
#include <poll.h>

#include "base/clock.h"
#include "redis/calls.h"
#include "redis/dispatch.h"
#include "redis/durability.h"
#include "redis/judge.h"
#include "redis/sock_wait.h"

/* ms without a step: the tool did something else, and replies may have come meanwhile */
#define AWAY 1000

void exchange_init(struct exchange *x, const struct conn_conf *conf)
{
	nodes_init(&x->nodes, conf);
	x->conf = &x->nodes.root.conn.conf;
	x->session = &x->nodes.root.session;
	x->first = x->last = NULL;
	x->tool_repeats = false;
	x->patience = (struct patience){.nodes = &x->nodes, .conf = x->conf};
	x->asked = x->stepped = 0;
}

void exchange_close(struct exchange *x)
{
	nodes_close(&x->nodes);
}

static const struct wait *wait_of(const struct exchange *x, const struct wait *wait)
{
	return wait ? wait : &x->conf->wait;
}

/* --- reading --- */

/* read_node reads what has arrived. Returns how many replies; a loss counts as one. */
static int read_node(struct exchange *x, struct node *node)
{
	struct conn *c = &node->conn;
	struct redisReply *reply;
	int n = 0, got = 1;
	struct err e;
	void *tag;

	while (c->redis && c->pending && (conn_push(c), got = conn_try(c, &reply, &tag, &e)) > 0) {
		judge_reply(x, node, reply, tag);
		n++;
	}
	if (got >= 0)
		return n;
	calls_lose(x, node, &e);
	return n + 1;
}

static int read_all(struct exchange *x)
{
	int n = 0;

	for (int i = 0; i < nodes_count(&x->nodes); i++)
		n += read_node(x, nodes_node(&x->nodes, i));
	return n;
}

/* due_from: since when the next reply of a node is due. */
static int64_t due_from(const struct conn *c, int64_t asked)
{
	return c->replied > asked ? c->replied : asked;
}

/* reply_due: until when (clock_ms) its next reply must come. */
static int64_t reply_due(struct exchange *x, const struct node *node, const struct wait *w,
			 int64_t asked)
{
	int64_t from = due_from(&node->conn, asked);

	return patience_limit(calls_patience(x), node, from, wait_deadline(w, from));
}

/* close_late closes the connections whose replies are late. */
static void close_late(struct exchange *x, const struct wait *w, int64_t asked)
{
	for (int i = 0; i < nodes_count(&x->nodes); i++) {
		struct node *node = nodes_node(&x->nodes, i);
		int64_t from = due_from(&node->conn, asked);
		int64_t deadline = reply_due(x, node, w, asked);
		struct err e;
		if (!node->conn.redis || !node->conn.pending || clock_ms() < deadline)
			continue;
		conn_late(&node->conn, deadline - from, &e);
		calls_lose(x, node, &e);
	}
}

/* listen waits for a reply on any connection, or until next. */
static int listen_all(struct exchange *x, const struct wait *w, int64_t asked, int64_t next,
		      struct err *e)
{
	struct pollfd polls[2 + NODES_MAX];
	struct meanwhile *m = w->meanwhile;
	nfds_t n = 0;

	polls[n++] = (struct pollfd){.fd = w->stop_fd, .events = POLLIN};
	polls[n++] = (struct pollfd){.fd = m ? m->fd : -1, .events = POLLIN};
	for (int i = 0; i < nodes_count(&x->nodes); i++) {
		const struct node *node = nodes_node(&x->nodes, i);
		const struct conn *c = &node->conn;
		if (!c->redis || !c->pending)
			continue;
		polls[n++] = (struct pollfd){.fd = c->redis->fd, .events = conn_events(c)};
		next = clock_sooner(next, reply_due(x, node, w, asked));
	}
	if (next == INT64_MAX)
		next = clock_ms() + 1; /* the time of a call came just now */
	if (clock_poll(polls, n, next * 1000) <= 0)
		return 0;
	if (polls[0].revents)
		return err_set(e, DQ_STOPPED, "stopped");
	if (m && polls[1].revents)
		m->ready(m);
	return 0;
}

/* hear_root waits for a reply of the root: the usual case. */
static int hear_root(struct exchange *x, const struct wait *w, struct err *e)
{
	struct node *root = &x->nodes.root;
	int64_t now = clock_ms(), deadline = wait_deadline(w, now);
	int64_t due = reply_due(x, root, w, now);
	struct redisReply *reply;
	struct wait brief = *w;
	struct err lost;
	void *tag;

	if (due < deadline) /* what is done meanwhile may bring deadline nearer */
		brief.until = due;
	if (conn_recv(&root->conn, &brief, &reply, &tag, &lost) == 0) {
		judge_reply(x, root, reply, tag);
	} else if (lost.status == DQ_STOPPED) {
		*e = lost;
		return -1;
	} else {
		calls_lose(x, root, &lost);
	}
	return 0;
}

/* step: asked: since when (clock_ms) replies are expected. */
static int step(struct exchange *x, const struct wait *w, int64_t *asked, struct err *e)
{
	int64_t next;

	calls_sweep(x);
	if (dispatch_due(x, w, asked, &next, e) < 0)
		return -1;
	if (!x->first)
		return 0;
	if (!x->nodes.cluster && next == INT64_MAX)
		return hear_root(x, w, e);
	if (read_all(x) > 0)
		return 0;
	if (listen_all(x, w, *asked, next, e) < 0)
		return -1;
	if (read_all(x) == 0)
		close_late(x, w, *asked);
	return 0;
}

/* --- for tools --- */

static enum call_loss loss_of(const struct call *call)
{
	if (call->loss == LOSS_ENDS ||
	    (call->loss == LOSS_FAILS && !patience_has(calls_patience(call->x))))
		return LOSS_FAILS;
	if (call->loss == LOSS_FAILS)
		return call->reads ? LOSS_REPEATS : LOSS_ONCE;
	return call->loss;
}

/* begin: behind a refused call of its lane it waits from now on. */
static void begin(struct call *call, const struct wait *wait)
{
	call->wait = *wait;
	call->state = CALL_WAITS;
	call->until = call->retry_at = 0;
	call->hops = 0;
	call->moving = call->x->nodes.moving;
	call->asking = NULL;
	call->main = NULL;
	call->elsewhere = call->tried = false;
	call->repeated = call->sent_before;
	call->loss = loss_of(call);
	call_blame(call, NULL);
	if (call->confirms)
		durability_reset(call->confirms);
	for (const struct call *first = call->x->first; first != call; first = first->next)
		if (call->lane && first->lane == call->lane && first->until)
			call->until = clock_ms() + call->wait.timeout;
}

void exchange_add(struct exchange *x, struct call *call, const struct wait *wait)
{
	struct err e;

	calls_add(x, call);
	begin(call, wait_of(x, wait));
	dispatch_call(call, NULL, &e);
}

void exchange_push(struct exchange *x)
{
	int64_t asked = 0, next;
	struct err e;

	if (x->first)
		dispatch_due(x, NULL, &asked, &next, &e);
	nodes_push(&x->nodes);
}

/* A step may end because another call is to be sent,
 * again and again: a reply is not due later for that. */
int exchange_step(struct exchange *x, const struct wait *wait, struct err *e)
{
	int status;

	if (clock_ms() - x->stepped > AWAY)
		x->asked = clock_ms();
	status = step(x, wait_of(x, wait), &x->asked, e);
	x->stepped = clock_ms();
	return status;
}

int64_t exchange_due(const struct exchange *x)
{
	int64_t first = INT64_MAX;

	for (const struct call *call = x->first; call; call = call->next)
		if (call->state == CALL_SENT)
			return 0;
		else if (!dispatch_is_held(call))
			first = clock_sooner(first, call->retry_at);
	return first;
}

int exchange_result(const struct call *call, struct err *e)
{
	if (!call->why)
		return call_check(call, e);
	*e = *call->why;
	return call_failed(call, e);
}

int exchange_wait(struct call *call, const struct wait *wait, struct err *e)
{
	struct wait w = *wait_of(call->x, wait);
	int64_t asked = clock_ms();

	if (call->confirms)
		w = durability_wait(call->x->conf, &w);
	while (call->state != CALL_OVER) {
		call->hurried = call->hurried || (w.until && clock_ms() >= w.until);
		if (step(call->x, &w, &asked, e) < 0)
			return -1;
	}
	if (exchange_result(call, e) == 0)
		return 0;
	nodes_note(&call->x->nodes, call->node, e);
	return -1;
}

void exchange_cut(struct call *call)
{
	conn_close(&call->node->conn);
}

int exchange_end(struct call *call, const struct wait *wait, struct err *e)
{
	int status = exchange_wait(call, wait, e);

	if (call->state == CALL_OVER)
		return status;
	if (call_perhaps_done(call))
		e->fate = FATE_UNKNOWN;
	if (call->state == CALL_SENT)
		exchange_cut(call);
	call_drop(call);
	nodes_note(&call->x->nodes, call->node, e);
	return call_failed(call, e);
}

int exchange_run(struct exchange *x, struct call *call, const struct wait *wait, struct err *e)
{
	exchange_add(x, call, wait);
	return exchange_end(call, wait, e);
}

int exchange_ask(struct exchange *x, struct call *call, int type, const struct wait *wait,
		 struct err *e)
{
	if (exchange_run(x, call, wait, e) < 0)
		return -1;
	return call->reply->type == type ? 0 : call_unexpected(call, e);
}
