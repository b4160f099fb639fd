#include "conn.h"

#include <errno.h>
#include <hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "reply.h"
#include "sock.h"
#include "text.h"

/* Whole elements of a reply leave the reader; what stays is a part of one, and the largest is a record: 16 MiB. */
#define UNPARSED_MAX ((size_t)32 << 20)

#define STRING2(x) #x
#define STRING(x) STRING2(x)

const char *conn_library(void)
{
	return "hiredis " STRING(HIREDIS_MAJOR) "." STRING(HIREDIS_MINOR) "." STRING(HIREDIS_PATCH) ", without TLS";
}

void conn_init(struct conn *c, const struct conn_conf *conf)
{
	memset(c, 0, sizeof *c);
	c->conf = *conf;
}

void conn_close(struct conn *c)
{
	if (c->redis)
		redisFree(c->redis);
	free(c->limit);
	c->redis = NULL;
	c->limit = NULL;
	c->pending = 0;
	c->written = false;
}

/* lost closes the connection and says what that means for the requests in flight. */
static int lost(struct conn *c, struct err *e, enum status status, const char *why)
{
	enum fate fate = c->pending && c->written ? FATE_UNKNOWN : FATE_NOT_DONE;

	conn_close(c);
	err_set(e, status, "%s", why);
	e->fate = fate;
	return -1;
}

static int lost_redis(struct conn *c, struct err *e)
{
	char text[200];

	if (c->redis->err == REDIS_ERR_EOF)
		return lost(c, e, DQ_TEMPORARY, "connection closed by the server");
	if (c->redis->err == REDIS_ERR_PROTOCOL)
		return lost(c, e, DQ_INTERNAL, "the answer is not the Redis protocol");
	if (reply_was_refused(c->limit))
		return lost(c, e, DQ_INTERNAL, "the answer is too large");
	if (c->redis->err == REDIS_ERR_OOM)
		return lost(c, e, DQ_INTERNAL, "out of memory");
	text_shown(text, sizeof text, c->redis->errstr, strlen(c->redis->errstr));
	return lost(c, e, DQ_TEMPORARY, text);
}

/* Write what the socket takes now. */
int conn_push(struct conn *c, struct err *e)
{
	int done = 0;

	if (redisBufferWrite(c->redis, &done) != REDIS_OK)
		return lost_redis(c, e);
	c->written = true;
	return done;
}

/* pull reads what has come. */
static int pull(struct conn *c, struct err *e)
{
	if (redisBufferRead(c->redis) != REDIS_OK)
		return lost_redis(c, e);
	if (c->redis->reader->len - c->redis->reader->pos > UNPARSED_MAX)
		return lost(c, e, DQ_INTERNAL, "the answer is too large");
	return 0;
}

static int lost_late(struct conn *c, struct err *e)
{
	char text[64];

	if (c->conf.timeout < 1000)
		snprintf(text, sizeof text, "timed out after %lldms", (long long)c->conf.timeout);
	else
		snprintf(text, sizeof text, "timed out after %.3gs", (double)c->conf.timeout / 1000);
	return lost(c, e, DQ_TEMPORARY, text);
}

static bool has_surplus(struct conn *c)
{
	return c->redis->reader->pos < c->redis->reader->len;
}

/* check_idle: nothing is in flight, so nothing may arrive. */
static int check_idle(struct conn *c, struct err *e)
{
	struct pollfd p = {.fd = c->redis->fd, .events = POLLIN};

	if (!has_surplus(c) && poll(&p, 1, 0) <= 0)
		return 0;
	if (!has_surplus(c) && redisBufferRead(c->redis) != REDIS_OK)
		return lost_redis(c, e);
	if (has_surplus(c))
		return lost(c, e, DQ_TEMPORARY, "the server sent what was not asked for");
	return 0;
}

int conn_send(struct conn *c, int argc, const char **argv, const size_t *lens, void *tag, struct err *e)
{
	if (!c->redis)
		return err_set(e, DQ_TEMPORARY, "not connected");
	if (c->pending == CONN_PENDING_MAX)
		return err_set(e, DQ_INTERNAL, "too many requests in flight");
	if (!c->pending) {
		if (check_idle(c, e) < 0)
			return -1;
		c->written = false;
	}
	if (redisAppendCommandArgv(c->redis, argc, argv, lens) != REDIS_OK)
		return lost(c, e, DQ_INTERNAL, "out of memory");
	c->tags[(c->head + c->pending++) % CONN_PENDING_MAX] = tag;
	return 0;
}

/* exchange moves bytes both ways, at least some, before the deadline. */
static int exchange(struct conn *c, int64_t deadline, struct err *e)
{
	short events = POLLIN;
	int ready;

	if (c->redis->obuf && sdslen(c->redis->obuf) > 0)
		events |= POLLOUT;
	ready = sock_wait(c->redis->fd, events, deadline, c->conf.stop_fd, e);
	if (ready < 0 && e->status == DQ_STOPPED)
		return -1; /* nothing is lost: the caller may go on waiting */
	if (ready < 0)
		return lost(c, e, e->status, "poll failed");
	if (ready == 0)
		return lost_late(c, e);
	if ((events & POLLOUT) && conn_push(c, e) < 0)
		return -1;
	return pull(c, e);
}

/* next_reply: one that has come in whole. 1, 0 or -1. */
static int next_reply(struct conn *c, struct redisReply **reply, void **tag, struct err *e)
{
	void *got = NULL;

	if (!c->redis || !c->pending)
		return err_set(e, DQ_INTERNAL, "no reply is due");
	if (redisGetReplyFromReader(c->redis, &got) != REDIS_OK)
		return lost_redis(c, e);
	if (!got)
		return 0;
	*reply = got;
	*tag = c->tags[c->head];
	c->head = (c->head + 1) % CONN_PENDING_MAX;
	c->pending--;
	return 1;
}

int conn_recv(struct conn *c, struct redisReply **reply, void **tag, struct err *e)
{
	int64_t deadline = clock_ms() + c->conf.timeout;
	bool late = false;
	int got;

	/* A server that never stops talking must not hold us: once it is late, what is there is read once more. */
	while ((got = next_reply(c, reply, tag, e)) == 0) {
		if (late)
			return lost_late(c, e);
		late = clock_ms() >= deadline;
		if (exchange(c, deadline, e) < 0)
			return -1;
	}
	return got < 0 ? -1 : 0;
}

int conn_try(struct conn *c, struct redisReply **reply, void **tag, struct err *e)
{
	int got = next_reply(c, reply, tag, e);

	if (got != 0)
		return got;
	if (pull(c, e) < 0)
		return -1;
	return next_reply(c, reply, tag, e);
}

static int send_words(struct conn *c, int argc, const char **argv, void *tag, struct err *e)
{
	size_t lens[4];

	for (int i = 0; i < argc; i++)
		lens[i] = strlen(argv[i]);
	return conn_send(c, argc, argv, lens, tag, e);
}

/* send_setup queues AUTH, SELECT and CLIENT SETNAME. Returns how many replies must be seen before anything else is sent: a
 * script must not run in the wrong database, or as the wrong user. The name's reply matters to nobody. */
static int send_setup(struct conn *c, struct err *e)
{
	const struct url *u = &c->conf.url;
	const char *auth[] = {"AUTH", u->has_user ? u->user : u->password, u->password};
	const char *name[] = {"CLIENT", "SETNAME", c->conf.client_name};
	const char *select[] = {"SELECT", NULL};
	char db[16];
	int must = 0;

	if (u->has_password || u->has_user) {
		if (send_words(c, u->has_user ? 3 : 2, auth, c, e) < 0)
			return -1;
		must++;
	}
	if (u->db) {
		snprintf(db, sizeof db, "%d", u->db);
		select[1] = db;
		if (send_words(c, 2, select, c, e) < 0)
			return -1;
		must++;
	}
	if (send_words(c, 3, name, NULL, e) < 0)
		return -1;
	return must;
}

static int setup(struct conn *c, struct err *e)
{
	int must = send_setup(c, e);
	struct redisReply *reply;
	void *tag;

	for (; must > 0; must--) {
		if (conn_recv(c, &reply, &tag, e) < 0)
			return -1;
		if (reply->type == REDIS_REPLY_ERROR) {
			reply_failed(reply, e);
			if (e->status == DQ_INTERNAL)
				e->status = strstr(reply->str, "AUTH") || strstr(reply->str, "password") ? DQ_AUTH : DQ_CONFIG;
			must = -1;
		}
		reply_free(reply);
	}
	return must < 0 ? -1 : 0;
}

int conn_open(struct conn *c, struct err *e)
{
	int64_t timeout = c->conf.timeout;
	int64_t deadline = clock_ms() + c->conf.connect_timeout;
	int fd;

	conn_close(c);
	if (c->conf.url.tls)
		return err_set(e, DQ_CONFIG, "TLS is not built in; socat or stunnel can make it a unix socket (dq(7), URLs)");
	fd = sock_open(&c->conf.url, deadline, c->conf.stop_fd, e);
	if (fd < 0)
		return -1;
	c->redis = redisConnectFd(fd);
	if (!c->redis) {
		close(fd);
		return err_memory(e);
	}
	c->limit = reply_limit(c->redis->reader);
	if (!c->limit) {
		conn_close(c);
		return err_memory(e);
	}
	c->redis->flags &= ~REDIS_BLOCK;
	c->conf.timeout = deadline - clock_ms();
	if (setup(c, e) < 0) {
		conn_close(c);
		e->fate = FATE_NOT_DONE;
		if (e->status == DQ_TEMPORARY && strstr(e->text, "timed out"))
			e->status = DQ_UNAVAILABLE;
	}
	c->conf.timeout = timeout;
	return c->redis ? 0 : -1;
}

int conn_reopen(struct conn *c, int64_t deadline, struct err *e)
{
	int64_t pause = 20;

	while (conn_open(c, e) < 0) {
		if (e->status != DQ_UNAVAILABLE && e->status != DQ_TEMPORARY)
			return -1;
		if (deadline >= 0 && clock_ms() + pause > deadline)
			return -1;
		if (sock_wait(-1, 0, clock_ms() + pause, c->conf.stop_fd, e) < 0)
			return -1;
		pause = pause < 1000 ? pause * 2 : 2000;
	}
	return 0;
}
