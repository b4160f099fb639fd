#include "redis/dispatch.h"

#include <string.h>

#include "base/clock.h"
#include "redis/durability.h"
#include "redis/script.h"

#define WINDOW (CONN_PENDING_MAX - 8) /* requests in flight: the rest is for requests that
                                       * are no calls */
#define CONFIRMED_WINDOW (WINDOW / 3) /* if a call may be followed by two requests,
                                       * when it has its reply */

/* --- words --- */

/* send_before sends what goes before the call. */
static int send_before(struct conn *c, struct call *main, struct call *call, struct err *e)
{
	if (!call)
		return 0;
	call->main = main;
	call_forget_reply(call);
	return send_before(c, main, call->before, e) < 0 ? -1 : call_send(call, c, e);
}

static unsigned window(const struct call *call)
{
	return call->confirms && durable_wanted(&call->x->conf->durable) ? CONFIRMED_WINDOW :
									   WINDOW;
}

/* send_words: after a failure to send, the requests in flight are lost, too. */
static int send_words(struct conn *c, struct call *call, struct err *e)
{
	static const char *const asking[] = {"ASKING", NULL};

	if (call->asking && conn_words(c, asking, NULL, e) < 0)
		return -1;
	return send_before(c, call, call->before, e) < 0 ? -1 : call_send(call, c, e);
}

int dispatch_as_eval(struct node *node, struct call *call, struct err *e)
{
	call->argv[0] = "EVAL";
	call->lens[0] = 4;
	call->argv[1] = call->script->text;
	call->lens[1] = call->script->len;
	return send_words(&node->conn, call, e);
}

/* --- where, and when --- */

static bool has_slot(const struct call *call)
{
	return call->key && call->key < call->argc;
}

static struct node *way_of(const struct call *call)
{
	struct nodes *n = &call->x->nodes;

	if (call->at || !n->cluster)
		return call->at ? call->at : &n->root;
	if (call->asking)
		return call->asking;
	return has_slot(call) ? nodes_at(n, call_slot(call)) : &n->root;
}

/* is_moving: the slot of a script call is being moved, so it must not be sent now: *e. */
static bool is_moving(const struct call *call, struct err *e)
{
	return !call->lane && call->script && has_slot(call) &&
	       nodes_moving(&call->x->nodes, call->moving, call_slot(call), NULL, e);
}

bool dispatch_is_held(const struct call *call)
{
	bool before = true;

	if (!call->lane)
		return false;
	for (const struct call *c = call->x->first; c; c = c->next) {
		if (c == call)
			before = false;
		else if (c->lane == call->lane &&
			 (before ? c->state == CALL_WAITS || c->until : c->state == CALL_SENT))
			return true;
	}
	return false;
}

/* --- opening --- */

/* is_patient: is its connection opened again for it? */
static bool is_patient(const struct call *call)
{
	return call->loss != LOSS_FAILS && !call->hurried &&
	       clock_ms() <= patience_lost_until(calls_patience(call->x), call);
}

/* open_node: in a cluster. Returns as open_for. Opening takes long: meanwhile the others work. */
static int open_node(struct call *call, const struct wait *w, struct err *e)
{
	nodes_push(&call->x->nodes);
	if (nodes_open(&call->x->nodes, call->node, w, e) == 0)
		return 1;
	if (e->status == DQ_STOPPED)
		return -1;
	if (e->status != DQ_TEMPORARY || !is_patient(call)) {
		calls_end(call, e);
		return 0;
	}
	patience_tries(calls_patience(call->x), call, e);
	call->retry_at = call->node->session.retry_at;
	return 0;
}

/* reopen: outside a cluster, until that time, without a report; *e is why. Returns as open_for. */
static int reopen(struct call *call, const struct wait *w, int64_t until, struct err *e)
{
	struct node *node = call->node;
	struct session s = {.conn = &node->conn, .place = node->session.place,
			    .pause = node->pause};
	struct wait wait = *w;
	struct err last;
	int status;

	wait.until = until;
	patience_tries(calls_patience(call->x), call, e);
	session_lost(&s, NULL, e);
	last = *e;
	status = patience_again(calls_patience(call->x), &s, &wait, &last);
	/* a server that accepts and closes must not be asked without a pause */
	node->pause = s.pause;
	node->session.place = s.place;
	if (status < 0 && (!err_passes(&last) || !node->conn.opened))
		*e = last;
	if (status < 0 && e->status == DQ_STOPPED)
		return -1;
	if (status < 0)
		/* its reply says that this is no master */
		calls_end(call, call->elsewhere ? NULL : e);
	for (struct call *all = call->x->first; all && status == 0; all = all->next)
		all->elsewhere = false;
	return status == 0;
}

static void why_closed(const struct call *call, struct err *e)
{
	if (call->elsewhere)
		call_check(call, e);
	else if (call->why)
		*e = *call->why;
	else
		err_set(e, DQ_TEMPORARY, "the connection was lost before");
}

/* open_for opens the connection of a call. 1: open; 0: not now; or the call is over;
 * -1: DQ_STOPPED. */
static int open_for(struct call *call, const struct wait *w, struct err *e)
{
	struct node *node = call->node;

	if (call->elsewhere && node->conn.redis && node->conn.pending)
		return 0; /* first the replies to the others */
	if (!node->lost_at)
		node->lost_at = clock_ms();
	if (call->x->nodes.cluster)
		return open_node(call, w, e);
	why_closed(call, e);
	if (call->elsewhere || is_patient(call))
		return reopen(call, w,
			      call->elsewhere ? call->until :
						patience_lost_until(calls_patience(call->x), call),
			      e);
	calls_end(call, e);
	return 0;
}

/* --- sending --- */

static void begin(struct call *call)
{
	if (call->repeated && call->repeat) {
		call->argv[call->repeat_at] = call->repeat;
		call->lens[call->repeat_at] = strlen(call->repeat);
	}
	call_forget_reply(call);
	call->state = CALL_SENT;
}

int dispatch_call(struct call *call, const struct wait *w, struct err *e)
{
	struct conn *c;
	int opened = 1;

	if (dispatch_is_held(call))
		return 0;
	if (is_moving(call, e)) {
		calls_end(call, e);
		return 0;
	}
	call->node = way_of(call);
	c = &call->node->conn;
	if (!c->redis || call->elsewhere)
		opened = w ? open_for(call, w, e) : 0;
	if (opened <= 0 || c->pending >= window(call))
		return opened < 0 ? -1 : 0;
	begin(call);
	if (!c->pending)
		c->replied = clock_ms(); /* from now on a reply is due */
	if (send_words(c, call, e) < 0 ||
	    (call->confirms && durability_send(call->confirms, call, c, e) < 0))
		calls_lose(call->x, call->node, e);
	call->opened = c->opened;
	return 0;
}

int dispatch_due(struct exchange *x, const struct wait *w, int64_t *asked, int64_t *next,
		 struct err *e)
{
	struct call *call, *after;
	int64_t began = clock_ms();

	*next = INT64_MAX;
	for (call = x->first; call; call = after) {
		after = call->next;
		if (call->state == CALL_WAITS && call->retry_at <= clock_ms() &&
		    dispatch_call(call, w, e) < 0)
			return -1;
		if (!after || after->state == CALL_OVER) /* a lost connection ended it, too */
			after = call->state == CALL_OVER ? x->first : call->next;
	}
	for (call = x->first; call; call = call->next)
		if (call->state == CALL_WAITS && call->retry_at > clock_ms())
			*next = clock_sooner(*next, call->retry_at);
	*asked += clock_ms() - began;
	return 0;
}
