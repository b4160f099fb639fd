#include "waiting/block.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/exchange.h"
#include "redis/reply.h"

void block_init(struct block *b, const struct conn_conf *conf)
{
	memset(b, 0, sizeof *b);
	conn_beside(&b->conn, conf, "wait", b->name);
	b->session.conn = &b->conn;
}

bool block_close(struct block *b)
{
	bool open = b->open;

	conn_close(&b->conn);
	b->open = false;
	return open;
}

bool block_strays(const struct block *b, const struct conn *by)
{
	return by->redis && !conn_same_server(&b->conn, by);
}

bool block_follow(struct block *b, const struct conn *by)
{
	bool open;

	if (!block_strays(b, by))
		return false;
	open = block_close(b);
	b->conn.conf.url.kind = by->conf.url.kind;
	b->conn.conf.url.server = by->conf.url.server;
	b->session = (struct session){.conn = &b->conn};
	return open;
}

/* send_all sends these commands, all or none. A lost connection loses them all, too. */
static int send_all(struct conn *c, const char *const commands[][CONN_WORDS_MAX], unsigned count,
		    void *tag, struct err *e)
{
	if (c->pending + count > CONN_PENDING_MAX)
		return err_set(e, DQ_INTERNAL, "too many requests in flight");
	for (unsigned i = 0; i < count; i++)
		if (conn_words(c, commands[i], tag, e) < 0)
			return -1;
	return 0;
}

/* await waits for the replies to so many commands that were sent with a tag. 1: *last is the last
 * reply, and the caller frees it. 0: the server refused one of the commands, and *e is the first
 * refusal. -1: the connection is lost. */
static int await(struct conn *c, unsigned count, const struct wait *wait, struct redisReply **last,
		 struct err *e)
{
	struct err refusal = {.status = DQ_DONE}, next;
	void *tag = NULL;

	for (*last = NULL; count > 0; count -= tag != NULL) {
		reply_free(*last);
		if (conn_recv(c, wait, last, &tag, e) < 0)
			return -1;
		if (!tag || (*last)->type != REDIS_REPLY_ERROR)
			continue; /* without a tag it is the reply to CLIENT SETNAME */
		reply_failed(*last, &next);
		if (refusal.status == DQ_DONE)
			refusal = next;
	}
	if (refusal.status == DQ_DONE)
		return 1;
	*e = refusal;
	reply_free(*last);
	return 0;
}

/* learn_id asks for the id of the connection, for CLIENT UNBLOCK, and whether transactions are
 * allowed. Without a right to one of these, the tool must not block. */
static int learn_id(struct block *b, const struct wait *wait, struct err *e)
{
	static const char *const commands[][CONN_WORDS_MAX] = {{"MULTI"}, {"EXEC"},
							       {"CLIENT", "ID"}};
	struct redisReply *reply;
	int got = send_all(&b->conn, commands, 3, &b->conn, e) < 0 ?
			  -1 :
			  await(&b->conn, 3, wait, &reply, e);

	if (got < 0 || (got == 0 && e->status != DQ_AUTH && e->status != DQ_CONFIG))
		return -1;
	if (got > 0 && reply->type == REDIS_REPLY_INTEGER)
		snprintf(b->client_id, sizeof b->client_id, "%lld", reply->integer);
	else
		b->forbidden = true;
	if (got > 0)
		reply_free(reply);
	return 0;
}

int block_up(struct block *b, const struct wait *wait, struct err *e)
{
	int up;

	if (b->forbidden)
		return 0;
	if (b->conn.redis)
		return 1;
	up = session_up(&b->session, wait, e);
	if (up > 0 && learn_id(b, wait, e) < 0) {
		session_lost(&b->session, NULL, e);
		up = -1;
	}
	if (b->forbidden)
		conn_close(&b->conn);
	if (up < 0)
		return e->status == DQ_STOPPED ? -1 : 0;
	return up > 0 && !b->forbidden;
}

int block_pop(struct block *b, struct call *call, int64_t ms, struct err *e)
{
	int status;

	snprintf(b->time, sizeof b->time, "%lld.%03lld", (long long)(ms / 1000),
		 (long long)(ms % 1000));
	call_text(call, b->time);
	status = call->overflow ? conn_short(&b->conn, e) :
				  conn_send(&b->conn, call->argc, call->argv, call->lens, b, e);
	if (status == 0)
		conn_push(&b->conn);
	call_free(call);
	b->open = status == 0;
	return status;
}

int block_reply(struct block *b, int64_t until_us, struct redisReply **reply, struct err *e)
{
	void *tag;
	int got;

	while ((got = conn_try(&b->conn, reply, &tag, e)) == 0) {
		struct pollfd p = {.fd = block_fd(b), .events = block_events(b)};
		if (clock_us() >= until_us)
			return 0;
		clock_poll(&p, 1, until_us);
	}
	if (got > 0)
		b->open = false;
	return got;
}

#define END_COMMANDS 4

/* The write removes a mark that does not exist. */
#define END(b, key) \
	{{"MULTI"}, {"ZREM", (key), "-"}, {"CLIENT", "UNBLOCK", (b)->client_id}, {"EXEC"}}

/* end_calls makes a transaction of calls. */
static struct call *end_calls(const struct block *b, const char *key,
			      struct call calls[END_COMMANDS])
{
	const char *const words[END_COMMANDS][CONN_WORDS_MAX] = END(b, key);

	for (int i = 0; i < END_COMMANDS; i++) {
		call_plain(&calls[i], words[i][0]);
		for (int k = 1; k < CONN_WORDS_MAX && words[i][k]; k++)
			call_text(&calls[i], words[i][k]);
		calls[i].before = i > 0 ? &calls[i - 1] : NULL;
	}
	return &calls[END_COMMANDS - 1];
}

/* is_unblocked: the reply to the transaction has that to CLIENT UNBLOCK, a number. */
static int is_unblocked(const struct redisReply *reply, struct err *e)
{
	const struct redisReply *last = NULL;

	if (reply->type == REDIS_REPLY_ARRAY && reply->elements)
		last = reply->element[reply->elements - 1];
	if (last && last->type == REDIS_REPLY_INTEGER)
		return 1;
	if (last && last->type == REDIS_REPLY_ERROR)
		reply_failed(last, e);
	else
		err_set(e, DQ_INTERNAL, "unexpected reply to CLIENT UNBLOCK");
	return 0;
}

int block_end(struct block *b, struct exchange *x, struct node *by, const char *key,
	      const struct wait *wait, struct err *e)
{
	/* whoever refuses it now will not be asked again */
	static const struct wait once = {.timeout = 0};
	struct call calls[END_COMMANDS] = {{0}}, *last = end_calls(b, key, calls);
	int got;

	last->at = by;
	exchange_add(x, last, &once);
	got = exchange_wait(last, wait, e);
	if (last->reply)
		got = got < 0 ? 0 : is_unblocked(last->reply, e);
	call_free(last);
	for (int i = 0; i < END_COMMANDS; i++)
		call_free(&calls[i]);
	if (got == 0)
		b->forbidden = b->forbidden || e->status != DQ_TEMPORARY;
	return got;
}

void block_hint(const struct block *b, struct conn *by, const char *key)
{
	const char *const commands[END_COMMANDS][CONN_WORDS_MAX] = END(b, key);
	struct err e;

	if (!b->open || !by->redis || block_strays(b, by) || by->pending >= CONN_PENDING_MAX / 2)
		return;
	if (send_all(by, commands, END_COMMANDS, NULL, &e) == 0)
		conn_push(by);
}

int block_fd(const struct block *b)
{
	return b->open ? b->conn.redis->fd : -1;
}

short block_events(const struct block *b)
{
	return conn_events(&b->conn);
}
