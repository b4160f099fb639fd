#include "queue/block.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/reply.h"

void block_init(struct block *b, const struct conn_conf *conf)
{
	memset(b, 0, sizeof *b);
	conn_init(&b->conn, conf);
	snprintf(b->name, sizeof b->name, "%s-wait", conf->client_name);
	b->conn.conf.client_name = b->name;
	b->conn.conf.url.hosts.count = 0; /* only one server is right: that of the connection for scripts */
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
	const struct url *here = &b->conn.conf.url, *there = &by->conf.url;

	return by->redis && (here->kind != there->kind || here->server.port != there->server.port ||
			     strcmp(here->server.name, there->server.name) != 0);
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

static int send_words(struct conn *c, const char *a, const char *b, const char *third, struct err *e)
{
	const char *argv[] = {a, b, third};
	const size_t lens[] = {strlen(a), strlen(b), third ? strlen(third) : 0};

	return conn_send(c, third ? 3 : 2, argv, lens, c, e);
}

/* ask sends one command and waits for its reply, which the caller frees. */
static struct redisReply *ask(struct conn *c, const char *a, const char *b, const char *third, const struct wait *wait, struct err *e)
{
	struct redisReply *reply;
	void *tag;

	if (send_words(c, a, b, third, e) < 0)
		return NULL;
	while (conn_recv(c, wait, &reply, &tag, e) == 0) {
		if (tag)
			return reply;
		reply_free(reply); /* the reply to CLIENT SETNAME */
	}
	return NULL;
}

/* learn_id asks for the id of the connection, for CLIENT UNBLOCK. Without the right to that, the tool must not block. */
static int learn_id(struct block *b, const struct wait *wait, struct err *e)
{
	struct redisReply *reply = ask(&b->conn, "CLIENT", "ID", NULL, wait, e);
	int status = 0;

	if (!reply)
		return -1;
	if (reply->type == REDIS_REPLY_INTEGER)
		snprintf(b->client_id, sizeof b->client_id, "%lld", reply->integer);
	else if (reply->type == REDIS_REPLY_ERROR && reply_failed(reply, e) < 0 && e->status != DQ_AUTH && e->status != DQ_CONFIG)
		status = -1;
	else
		b->forbidden = true;
	reply_free(reply);
	return status;
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

	snprintf(b->time, sizeof b->time, "%lld.%03lld", (long long)(ms / 1000), (long long)(ms % 1000));
	call_text(call, b->time);
	status = call->overflow ? conn_short(&b->conn, e) : conn_send(&b->conn, call->argc, call->argv, call->lens, b, e);
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

int block_end(const struct block *b, struct conn *by, const struct wait *wait, struct err *e)
{
	struct redisReply *reply = ask(by, "CLIENT", "UNBLOCK", b->client_id, wait, e);
	int status;

	if (!reply)
		return -1;
	status = reply->type == REDIS_REPLY_INTEGER;
	reply_free(reply);
	return status;
}

void block_hint(const struct block *b, struct conn *by)
{
	struct err e;

	if (!b->open || !by->redis || block_strays(b, by) || by->pending >= CONN_PENDING_MAX / 2)
		return;
	const char *argv[] = {"CLIENT", "UNBLOCK", b->client_id};
	const size_t lens[] = {6, 7, strlen(b->client_id)};
	if (conn_send(by, 3, argv, lens, NULL, &e) == 0)
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
