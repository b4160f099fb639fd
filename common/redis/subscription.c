#include "redis/subscription.h"

#include <hiredis.h>
#include <string.h>

#include "redis/refusal.h"
#include "redis/reply.h"

void subscription_init(struct subscription *s, const struct conn *by,
		       void (*hear)(void *ctx, const char *channel, size_t len, bool over),
		       void *ctx)
{
	memset(s, 0, sizeof *s);
	conn_beside(&s->conn, &by->conf, "hints", s->name);
	s->session.conn = &s->conn;
	s->hear = hear;
	s->ctx = ctx;
}

void subscription_close(struct subscription *s)
{
	conn_close(&s->conn);
}

/* failed: the connection was not opened, or is lost. */
static int failed(struct subscription *s, const struct err *e)
{
	if (e->status == DQ_STOPPED)
		return -1;
	s->refused = s->refused || !err_passes(e);
	return 0;
}

int subscription_up(struct subscription *s, const struct wait *wait, struct err *e)
{
	int up = s->refused ? 0 : session_up(&s->session, wait, e);

	return up < 0 ? failed(s, e) : up;
}

static bool is_word(const struct redisReply *reply, const char *word)
{
	return reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 &&
	       reply->element[0]->type == REDIS_REPLY_STRING &&
	       !strcmp(reply->element[0]->str, word) &&
	       reply->element[1]->type == REDIS_REPLY_STRING;
}

/* take_in: true if the reply is no reply to a request. */
static bool take_in(const struct subscription *s, const struct redisReply *reply)
{
	bool over = is_word(reply, "sunsubscribe");

	if (!over && !is_word(reply, "smessage"))
		return false;
	s->hear(s->ctx, reply->element[1]->str, reply->element[1]->len, over);
	return true;
}

static bool is_made(struct subscription *s, const struct redisReply *reply)
{
	struct err e;

	if (reply->type != REDIS_REPLY_ERROR)
		return true;
	if (refusal_of(reply) == REFUSAL_NONE) {
		reply_failed(reply, &e);
		s->refused = s->refused || !err_passes(&e);
	}
	return false;
}

/* answers reads the replies to count requests; messages may be between them. */
static int answers(struct subscription *s, bool made[], size_t count, const struct wait *wait,
		   struct err *e)
{
	struct redisReply *reply;
	void *tag;

	for (size_t i = 0; i < count;) {
		int status = conn_recv(&s->conn, wait, &reply, &tag, e);
		if (status < 0)
			return -1;
		if (take_in(s, reply))
			status = conn_expect(&s->conn, s, e);
		else if (tag) /* without a tag it is the reply to CLIENT SETNAME */
			made[i++] = is_made(s, reply);
		reply_free(reply);
		if (status < 0)
			return -1;
	}
	session_answered(&s->session);
	return 1;
}

static int request(struct subscription *s, const char *const channels[], size_t count,
		   struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (conn_words(&s->conn, (const char *const[]){"SSUBSCRIBE", channels[i], NULL}, s,
			       e) < 0)
			return -1;
	if (s->expects != s->conn.opened && conn_expect(&s->conn, s, e) < 0)
		return -1;
	s->expects = s->conn.opened;
	return 0;
}

int subscription_add(struct subscription *s, const char *const channels[], bool made[],
		     size_t count, const struct wait *wait, struct err *e)
{
	memset(made, 0, count * sizeof *made);
	if (request(s, channels, count, e) == 0 && answers(s, made, count, wait, e) > 0)
		return 1;
	session_lost(&s->session, NULL, e);
	return failed(s, e);
}

void subscription_read(struct subscription *s)
{
	struct redisReply *reply;
	struct err e;
	void *tag;
	int got;

	while (s->conn.redis && (got = conn_try(&s->conn, &reply, &tag, &e)) != 0) {
		if (got > 0) {
			take_in(s, reply);
			reply_free(reply);
			got = conn_expect(&s->conn, s, &e);
		}
		if (got < 0)
			session_lost(&s->session, NULL, &e);
	}
}

int subscription_fd(const struct subscription *s)
{
	return s->conn.redis ? s->conn.redis->fd : -1;
}

short subscription_events(const struct subscription *s)
{
	return conn_events(&s->conn);
}
