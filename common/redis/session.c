#include "redis/session.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/reply.h"
#include "redis/sock.h"

#define PAUSE_MIN 20 /* ms between tries to open a lost one */
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
static int greet(struct conn *c, const struct wait *wait, struct err *e)
{
	int must = send_all(c, e);
	struct redisReply *reply;
	void *tag;

	for (; must > 0; must--) {
		if (conn_recv(c, wait, &reply, &tag, e) < 0)
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

int session_open(struct conn *c, const struct wait *wait, struct err *e)
{
	int64_t now = clock_ms();
	struct wait w = wait ? *wait : c->conf.wait;
	int fd;

	w.timeout = c->conf.connect_timeout;
	w.until = wait_deadline(&w, now); /* for all of it together */
	w.timeout = w.until - now;
	conn_close(c);
	c->refused = false;
	if (c->conf.url.tls && tls_load(e) < 0)
		return -1;
	fd = sock_open(&c->conf.url, w.until, w.stop_fd, e);
	if (fd < 0 || conn_adopt(c, fd, &w, e) < 0)
		return -1;
	if (greet(c, &w, e) < 0) {
		conn_close(c);
		e->fate = FATE_NOT_DONE;
	}
	c->greeted = c->redis;
	return c->redis ? 0 : -1;
}

/* --- again --- */

static void report(struct session *s, enum session_event event, const char *object, const struct err *e)
{
	if (s->report && (!s->quiet || event == SESSION_OVER))
		s->report(s, event, object, e);
}

static bool passes(const struct err *e)
{
	return e->status == DQ_TEMPORARY || e->status == DQ_UNAVAILABLE;
}

/* is_known: was that reason reported since the connection was lost? From now on it was. Digits and what follows them do not count, as
 * time-outs vary with the time that is left; and reasons may take turns: closed by the server, and reset. */
static bool is_known(struct session *s, const struct err *e)
{
	uint64_t reason = UINT64_C(1) << text_hash(TEXT_HASH, e->text, strcspn(e->text, "0123456789")) % 64;
	bool known = s->pause && s->reasons & reason;

	s->reasons = s->pause ? s->reasons | reason : reason;
	return known;
}

void session_lost(struct session *s, const char *object, const struct err *e)
{
	bool known;

	conn_close(s->conn);
	if (e->status == DQ_STOPPED) {
		s->retry_at = clock_ms() + PAUSE_MIN; /* the signal is to be heard first */
		return;
	}
	known = is_known(s, e);
	s->retry_at = clock_ms() + s->pause;
	s->pause = clock_backoff(s->pause, PAUSE_MIN, PAUSE_MAX);
	if (passes(e) && !known)
		report(s, SESSION_LOST, object, e);
	if (passes(e))
		return;
	if (s->status == DQ_DONE)
		report(s, SESSION_OVER, object, e);
	s->status = s->status > e->status ? s->status : e->status;
}

int session_up(struct session *s, const struct wait *wait, struct err *e)
{
	if (s->conn->redis)
		return 1;
	if (clock_ms() < s->retry_at)
		return 0;
	if (session_open(s->conn, wait, e) == 0)
		return 1;
	session_lost(s, NULL, e);
	return passes(e) ? 0 : -1;
}

int session_again(struct session *s, const struct wait *wait, struct err *e)
{
	const struct wait *w = wait ? wait : &s->conn->conf.wait;
	const struct wait opening = {.timeout = w->timeout, .stop_fd = w->stop_fd};
	struct err now;
	int up;

	while ((up = session_up(s, &opening, &now)) == 0) {
		if (w->until && clock_ms() >= w->until)
			return -1;
		if (w->until)
			s->retry_at = clock_sooner(s->retry_at, w->until);
		if (sock_wait(-1, 0, s->retry_at, w->stop_fd, &now) < 0)
			up = -1;
		if (up < 0)
			break;
	}
	if (up < 0)
		*e = now;
	return up < 0 ? -1 : 0;
}

void session_answered(struct session *s)
{
	const struct err none = {.status = DQ_DONE};

	if (s->pause)
		report(s, SESSION_BACK, NULL, &none);
	s->pause = 0;
}
