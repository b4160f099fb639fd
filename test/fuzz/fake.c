#include "fake.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "redis/place.h"
#include "redis/reply.h"
#include "redis/session.h"
#include "redis/sock.h"

static struct redisContext context;
static const char *left;
static size_t left_len;
static int64_t now;

int64_t clock_us(void)
{
	return now += 1000;
}

int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

int clock_poll(struct pollfd *fds, nfds_t n, int64_t until_us)
{
	(void)fds, (void)n;
	now = until_us > now ? until_us : now;
	return 0;
}

int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e)
{
	(void)fd, (void)events, (void)deadline, (void)stop_fd, (void)e;
	return 0;
}

void conn_init(struct conn *c, const struct conn_conf *conf)
{
	memset(c, 0, sizeof *c);
	c->conf = *conf;
}

void conn_close(struct conn *c)
{
	if (c->redis) {
		redisReaderFree(context.reader);
		context.reader = NULL;
	}
	free(c->limit);
	c->redis = NULL;
	c->limit = NULL;
	c->pending = 0;
}

/* The reader gets what there is up to the next "~" line. */
int session_open(struct session *s, const struct wait *wait, struct err *e)
{
	struct conn *c = s->conn;
	size_t len = 0;

	(void)wait;
	conn_close(c);
	if (left_len == 0)
		return err_set(e, DQ_UNAVAILABLE, "away");
	while (len < left_len && !(left[len] == '~' && (len == 0 || left[len - 1] == '\n')))
		len++;
	/* of another node, whose connection has this one from now on */
	redisReaderFree(context.reader);
	context.reader = redisReaderCreate();
	if (context.reader == NULL || redisReaderFeed(context.reader, left, len) != REDIS_OK)
		return err_memory(e);
	c->limit = reply_limit(context.reader);
	c->redis = &context;
	left += len;
	left_len -= len;
	len = left_len < 2 ? left_len : 2; /* the line "~" */
	left += len;
	left_len -= len;
	return 0;
}

void session_lost(struct session *s, const char *object, const struct err *e)
{
	(void)object, (void)e;
	conn_close(s->conn);
}

int session_up(struct session *s, const struct wait *wait, struct err *e)
{
	return s->conn->redis || session_open(s, wait, e) == 0 ? 1 : -1;
}

int session_insist(struct session *s, const struct wait *wait, struct err *e)
{
	return session_up(s, wait, e) > 0 ? 0 : -1;
}

int session_again(struct session *s, const struct wait *wait, struct err *e)
{
	return session_up(s, wait, e) > 0 ? 0 : -1;
}

void session_say(struct session *s, enum session_event event, const char *object,
		 const struct err *e)
{
	(void)s, (void)event, (void)object, (void)e;
}

bool session_lasts(const struct conn *c)
{
	return c->redis != NULL;
}

void session_answered(struct session *s)
{
	(void)s;
}

void fake_open(struct exchange *x, const char *bytes, size_t len)
{
	struct conn_conf conf = {.wait = {.timeout = 20, .stop_fd = -1}};
	struct err e;

	exchange_init(x, &conf);
	left = bytes;
	left_len = len;
	now = 0;
	session_open(x->session, NULL, &e);
}

int conn_send(struct conn *c, int argc, const char **argv, const size_t *lens, void *tag,
	      struct err *e)
{
	(void)argc, (void)argv, (void)lens;
	if (!c->redis)
		return err_set(e, DQ_TEMPORARY, "not connected");
	if (c->pending == CONN_PENDING_MAX)
		return err_set(e, DQ_INTERNAL, "too many requests in flight");
	c->tags[(c->head + c->pending++) % CONN_PENDING_MAX] = tag;
	return 0;
}

void conn_push(struct conn *c)
{
	(void)c;
}

static int lost(struct conn *c, enum status status, struct err *e)
{
	conn_close(c);
	err_set(e, status, "lost");
	e->fate = FATE_UNKNOWN;
	return -1;
}

int conn_short(struct conn *c, struct err *e)
{
	conn_close(c);
	return err_memory(e);
}

int conn_recv(struct conn *c, const struct wait *wait, struct redisReply **reply, void **tag,
	      struct err *e)
{
	void *got = NULL;

	(void)wait;
	if (!c->redis || !c->pending)
		return err_set(e, DQ_INTERNAL, "no reply is due");
	if (redisReaderGetReply(context.reader, &got) != REDIS_OK)
		return lost(c, DQ_INTERNAL, e);
	if (!got)
		return lost(c, DQ_TEMPORARY, e);
	*reply = got;
	*tag = c->tags[c->head];
	c->head = (c->head + 1) % CONN_PENDING_MAX;
	c->pending--;
	return 0;
}

int conn_try(struct conn *c, struct redisReply **reply, void **tag, struct err *e)
{
	return conn_recv(c, NULL, reply, tag, e) < 0 ? -1 : 1;
}

short conn_events(const struct conn *c)
{
	(void)c;
	return POLLIN;
}

int conn_late(struct conn *c, int64_t ms, struct err *e)
{
	(void)ms;
	return lost(c, DQ_TEMPORARY, e);
}

void conn_forget(struct conn *c, const void *tag)
{
	for (unsigned i = 0; i < c->pending; i++)
		if (c->tags[(c->head + i) % CONN_PENDING_MAX] == tag)
			c->tags[(c->head + i) % CONN_PENDING_MAX] = NULL;
}

/* As where there is a choice. */
bool place_is_wrong(const struct conn *c, const struct redisReply *reply)
{
	(void)c;
	return reply && reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, "READONLY ", 9);
}
