#include "redis/session.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/reply.h"
#include "redis/sock.h"

#define PAUSE_MIN 20 /* ms, of session_reopen */
#define PAUSE_MAX 2000

static int send_words(struct conn *c, int argc, const char **argv, void *tag, struct err *e)
{
	size_t lens[4] = {0};

	for (int i = 0; i < argc; i++)
		lens[i] = strlen(argv[i]);
	return conn_send(c, argc, argv, lens, tag, e);
}

/* send_all queues AUTH, SELECT and CLIENT SETNAME. Returns how many replies must be seen before anything else is sent: a
 * script must not run in the wrong database, or as the wrong user. The name's reply matters to nobody. */
static int send_all(struct conn *c, struct err *e)
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

/* hush: a server may quote what it was told where it does not say so. */
static void hush(const struct conn *c, const struct redisReply *reply, struct err *e)
{
	const char *password = c->conf.url.password;
	const char *at = password[0] ? strstr(reply->str, password) : NULL;

	if (at && (size_t)(at - reply->str) < reply_words(reply))
		err_set(e, e->status, "the server refused, in words that hold the password");
}

/* greet returns when AUTH and SELECT are answered well. */
static int greet(struct conn *c, struct err *e)
{
	int must = send_all(c, e);
	struct redisReply *reply;
	void *tag;

	for (; must > 0; must--) {
		if (conn_recv(c, &reply, &tag, e) < 0)
			return -1;
		if (reply->type == REDIS_REPLY_ERROR) {
			reply_failed(reply, e);
			hush(c, reply, e);
			if (e->status == DQ_INTERNAL)
				e->status = strstr(reply->str, "AUTH") || strstr(reply->str, "password") ? DQ_AUTH : DQ_CONFIG;
			must = -1;
		}
		reply_free(reply);
	}
	return must < 0 ? -1 : 0;
}

int session_open(struct conn *c, struct err *e)
{
	int64_t deadline = clock_ms() + c->conf.connect_timeout;
	int fd;

	conn_close(c);
	c->refused = false;
	if (c->conf.url.tls)
		return err_set(e, DQ_CONFIG, "TLS is not built in; socat or stunnel can make it a unix socket (dq(7), URLs)");
	fd = sock_open(&c->conf.url, deadline, c->conf.stop_fd, e);
	if (fd < 0 || conn_adopt(c, fd, deadline, e) < 0)
		return -1;
	if (greet(c, e) < 0) {
		conn_close(c);
		e->fate = FATE_NOT_DONE;
	}
	c->open_until = 0;
	return c->redis ? 0 : -1;
}

/* pause_end: the last try is at the deadline itself. */
static int64_t pause_end(int64_t pause, int64_t deadline)
{
	int64_t end = clock_ms() + pause;

	return deadline >= 0 && deadline < end ? deadline : end;
}

int session_reopen(struct conn *c, int64_t deadline, struct err *e)
{
	int64_t pause = clock_backoff(0, PAUSE_MIN, PAUSE_MAX);

	while (session_open(c, e) < 0) {
		if (e->status != DQ_UNAVAILABLE && e->status != DQ_TEMPORARY)
			return -1;
		if (deadline >= 0 && clock_ms() >= deadline)
			return -1;
		if (sock_wait(-1, 0, pause_end(pause, deadline), c->conf.stop_fd, e) < 0)
			return -1;
		pause = clock_backoff(pause, PAUSE_MIN, PAUSE_MAX);
	}
	return 0;
}
