#include "redis/script.h"

#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/nodes.h"
#include "redis/place.h"
#include "redis/replica.h"
#include "redis/reply.h"
#include "redis/sock.h"

static unsigned slot_of_call(const struct call *call)
{
	return slot_of(call->argv[call->key], call->lens[call->key]);
}

int script_way(struct conn *c, const struct call *call, const struct wait *wait, struct conn **way, struct err *e)
{
	*way = c;
	if (!c->nodes)
		return 0;
	if (call->asking)
		*way = call->asking;
	else if (call->key && call->key < call->argc)
		*way = nodes_at(c, slot_of_call(call));
	return nodes_open(*way, wait, e);
}

int script_send(struct conn *c, struct call *call, struct err *e)
{
	const char *asking[] = {"ASKING"};
	const size_t len[] = {6};

	if (call->overflow)
		return conn_short(c, e); /* after a failure to send, the requests in flight are lost, too */
	if (call->asking && conn_send(c, 1, asking, len, NULL, e) < 0)
		return -1;
	return conn_send(c, call->argc, call->argv, call->lens, call, e);
}

static bool is_noscript(const struct call *call, const struct redisReply *reply)
{
	return call->script && refusal_of(reply) == REFUSAL_NOSCRIPT && strcmp(call->argv[0], "EVAL") != 0;
}

static int send_as_eval(struct conn *c, struct call *call, struct err *e)
{
	call->argv[0] = "EVAL";
	call->lens[0] = 4;
	call->argv[1] = call->script->text;
	call->lens[1] = call->script->len;
	return script_send(c, call, e);
}

/* bit_of: two scripts may share a bit. Then a call is sent once in vain, which is slow but correct. */
static uint64_t bit_of(const struct script *script)
{
	return script ? UINT64_C(1) << text_hash(TEXT_HASH, script->sha, strlen(script->sha)) % 64 : 0;
}

bool script_is_known(const struct conn *c, const struct script *script)
{
	return (c->known & bit_of(script)) != 0 || !script;
}

int script_recv(struct conn *c, const struct wait *wait, struct call **done, struct err *e)
{
	struct redisReply *reply;
	void *tag;

	for (;;) {
		if (conn_recv(c, wait, &reply, &tag, e) < 0)
			return -1;
		if (tag == &c->stale) {
			replica_heard(c, reply);
			tag = NULL;
		}
		if (tag && !is_noscript(tag, reply))
			break;
		reply_free(reply);
		if (tag && send_as_eval(c, tag, e) < 0)
			return -1;
	}
	*done = tag;
	if (c->is_new && refusal_of(reply) == REFUSAL_NONE)
		nodes_serves(c);
	if (c->nodes && c->nodes->moving_count && (*done)->script && refusal_of(reply) == REFUSAL_NONE)
		nodes_moved(c, slot_of_call(*done));
	c->known |= bit_of(((struct call *)tag)->script);
	reply_free((*done)->reply);
	(*done)->reply = reply;
	(*done)->asking = NULL;
	return 0;
}

/* failed: a call that changes nothing has done nothing, even if it is not known whether it ran. */
static int failed(const struct call *call, struct err *e)
{
	if (call->reads && e->fate == FATE_UNKNOWN)
		e->fate = FATE_NOT_DONE;
	return -1;
}

int script_check(const struct call *call, struct err *e)
{
	if (call->reply->type != REDIS_REPLY_ERROR)
		return 0;
	reply_failed(call->reply, e);
	return failed(call, e);
}

int script_heed(struct conn *c, struct call *call, struct err *e)
{
	struct conn *to;
	int later;

	switch (refusal_of(call->reply)) {
	case REFUSAL_MOVED:
		later = nodes_learn(c, call->reply, &to, e);
		return later < 0 ? -1 : !later;
	case REFUSAL_ASK:
		later = nodes_learn(c, call->reply, &call->asking, e);
		return later < 0 ? -1 : !later;
	case REFUSAL_LOST:
		if (call->key)
			nodes_forget(c, slot_of_call(call));
		nodes_turn(c);
		return 0;
	case REFUSAL_LATER:
	case REFUSAL_MOVING:
		return 0;
	default:
		return -1;
	}
}

bool script_moving(const struct conn *c, const struct call *call, struct err *e)
{
	return c->nodes && c->nodes->moving_count && call->script && call->key < call->argc && nodes_moving(c, slot_of_call(call), NULL, e);
}

static void begin(struct conn *c, const struct wait *wait, struct script_again *how)
{
	if (how->session.conn)
		return;
	how->session.conn = c;
	how->wait = wait ? *wait : c->conf.wait;
	how->wait.until = wait_deadline(&how->wait, clock_ms());
}

static void forget_reply(struct call *call)
{
	reply_free(call->reply); /* else it would be taken for the reply to the next sending, which may be lost */
	call->reply = NULL;
}

#define AT_ONCE 5 /* redirections; then the nodes contradict each other, and get time to agree */

static bool is_redirection(const struct redisReply *reply)
{
	return refusal_of(reply) == REFUSAL_MOVED || refusal_of(reply) == REFUSAL_ASK;
}

/* contradict: a tool that serves other queues does not wait until the nodes agree which of them has the slot. */
static bool contradict(struct conn *c, const struct call *call, struct err *e)
{
	struct err why;

	err_set(&why, DQ_TEMPORARY, "the nodes do not agree which of them has it");
	if (!call->script || !nodes_moving_add(c, slot_of_call(call), &why))
		return false;
	*e = why;
	return true;
}

/* cluster_again does for redirections what script_again does. */
static bool cluster_again(struct conn *c, struct call *call, const struct wait *wait, struct script_again *how, struct err *e)
{
	int64_t now = clock_ms();
	int at_once;

	begin(c, wait, how);
	if (call->script && refusal_of(call->reply) == REFUSAL_MOVING && nodes_moving_add(c, slot_of_call(call), e))
		return false;
	if (now >= how->wait.until || (at_once = script_heed(c, call, e)) < 0)
		return false;
	at_once = at_once && ++how->count <= AT_ONCE;
	if (!at_once && is_redirection(call->reply) && contradict(c, call, e))
		return false;
	if (!at_once &&
	    sock_wait(-1, 0, clock_sooner(now + SCRIPT_PAUSE, how->wait.until), how->wait.stop_fd, e) < 0)
		return false;
	forget_reply(call);
	return true;
}

bool script_again(struct conn *c, struct call *call, const struct wait *wait, struct script_again *how, struct err *e)
{
	if (c->nodes || refusal_is_of_a_cluster(call->reply))
		return cluster_again(c, call, wait, how, e);
	if (c->kept || !place_is_wrong(c, call->reply))
		return false;
	begin(c, wait, how);
	session_lost(&how->session, NULL, e);
	if (session_again(&how->session, &how->wait, e) < 0)
		return false;
	forget_reply(call);
	return true;
}

static int run(struct conn *c, struct call *call, const struct wait *wait, struct err *e)
{
	struct call *done;

	if (script_send(c, call, e) < 0)
		return -1;
	do
		if (script_recv(c, wait, &done, e) < 0) {
			conn_close(c); /* stopped: no reply may arrive for a call that no longer exists */
			return failed(call, e);
		}
	while (done != call);
	return script_check(done, e);
}

int script_run(struct conn *c, struct call *call, const struct wait *wait, struct err *e)
{
	struct script_again how = {.wait = {0}};
	struct conn *way;
	int status;

	if (script_moving(c, call, e))
		return -1;
	while ((status = script_way(c, call, wait, &way, e) < 0 ? -1 : run(way, call, wait, e)) < 0) {
		if (!script_again(way, call, wait, &how, e))
			break;
		call->again = true;
	}
	if (status < 0)
		nodes_note(way, e);
	return status;
}

int script_ask(struct conn *c, struct call *call, int type, const struct wait *wait, struct err *e)
{
	if (script_run(c, call, wait, e) < 0)
		return -1;
	return call->reply->type == type ? 0 : call_unexpected(call, e);
}

int call_unexpected(const struct call *call, struct err *e)
{
	return err_set(e, DQ_INTERNAL, "unexpected reply to %s", call->script ? call->script->name : call->argv[0]);
}
