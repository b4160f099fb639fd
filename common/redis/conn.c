#include "redis/conn.h"

#include <errno.h>
#include <hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/reply.h"
#include "redis/request.h"
#include "redis/sock.h"
#include "redis/url_text.h"

/* The reader drops complete elements. The rest is part of an element, at most a record: 16 MiB. */
#define UNPARSED_MAX ((size_t)32 << 20)

#define JUST_NOW 1 /* ms */

/* lost closes the connection; the fate tells whether the requests in flight may have run. */
static int lost(struct conn *c, struct err *e, enum status status, const char *why)
{
	enum fate fate = c->pending && c->written ? FATE_UNKNOWN : FATE_NOT_DONE;

	conn_close(c);
	err_set(e, status, "%s", why);
	e->fate = fate;
	return -1;
}

/* lost_at puts the server into the text, because callers name only their queue. */
static int lost_at(struct conn *c, struct err *e, enum status status, const char *why)
{
	char shown[URL_TEXT], text[URL_TEXT + sizeof e->text + 4];

	url_shown(&c->conf.url, shown);
	snprintf(text, sizeof text, "%s (%s)", why, shown);
	lost(c, e, status, text);
	e->names_server = strlen(text) < sizeof e->text; /* else the name was cut */
	return -1;
}

static int lost_redis(struct conn *c, struct err *e)
{
	char text[200];

	if (c->redis->err == REDIS_ERR_PROTOCOL || reply_refused(c->limit) == REPLY_TOO_DEEP)
		return lost_at(c, e, c->got_reply ? DQ_INTERNAL : DQ_CONFIG,
			       "the answer is not the Redis protocol");
	if (reply_refused(c->limit) == REPLY_TOO_LARGE)
		return lost(c, e, DQ_INTERNAL, "the answer is too large");
	if (c->redis->err == REDIS_ERR_OOM)
		return lost(c, e, DQ_TEMPORARY, "out of memory");
	text_shown(text, sizeof text, c->redis->errstr, strlen(c->redis->errstr));
	return lost(c, e, DQ_TEMPORARY, text);
}

/* refused: the server refuses the whole connection, so it ran no request on it. */
static int refused(struct conn *c, struct redisReply *reply, struct err *e)
{
	char why[sizeof e->text];

	reply_failed(reply, e);
	reply_free(reply);
	memcpy(why, e->text, sizeof why);
	c->written = false;
	c->refused = true;
	return e->status == DQ_TEMPORARY ? lost(c, e, e->status, why) :
					   lost_at(c, e, e->status, why);
}

/* lost_tls: a refusal is permanent: the server refuses this client certificate, say, next time,
 * too. Any other failure may be temporary. */
static int lost_tls(struct conn *c, struct err *e)
{
	char why[TLS_WHY_MAX + 8];

	snprintf(why, sizeof why, "TLS: %s", tls_why(c->tls));
	if (c->got_reply || !tls_refused(c->tls))
		return lost(c, e, DQ_TEMPORARY, why);
	c->written = false;
	return c->greeted ? lost_at(c, e, DQ_CONFIG, why) : lost(c, e, DQ_CONFIG, why);
}

/* lost_peer: a server that expects TLS on this port closes the connection at the
 * first plain bytes; some proxies do so at CLIENT. */
static int lost_peer(struct conn *c, struct err *e)
{
	bool silent = !c->got_reply && !c->tls, by_port = c->conf.url.kind == URL_TCP;

	c->nameless = silent && c->opened == 1;
	return lost(c, e, DQ_TEMPORARY,
		    silent && by_port ?
			    "connection closed by the server before it answered (for a port with "
			    "TLS: rediss://; some proxies do so at CLIENT SETNAME)" :
			    "connection closed by the server");
}

/* pull reads what has arrived, more at once than hiredis would. */
static int pull(struct conn *c, struct err *e)
{
	struct redisReader *reader = c->redis->reader;
	char bytes[65536];
	ssize_t n = c->tls ? tls_read(c->tls, bytes, sizeof bytes) :
			     recv(c->redis->fd, bytes, sizeof bytes, 0);

	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0 && c->tls && errno == EPROTO)
		return lost_tls(c, e);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return lost_peer(c, e);
	if (n < 0)
		return lost(c, e, DQ_TEMPORARY, strerror(errno));
	c->heard = clock_ms();
	if (redisReaderFeed(reader, bytes, (size_t)n) != REDIS_OK)
		return lost(c, e, DQ_TEMPORARY, "out of memory");
	if (reader->len - reader->pos > UNPARSED_MAX)
		return lost(c, e, DQ_INTERNAL, "the answer is too large");
	return 0;
}

int conn_late(struct conn *c, int64_t allowed, struct err *e)
{
	struct err late;

	/* before the greeting ends, the caller names the server */
	err_late(&late, DQ_TEMPORARY, allowed);
	return c->greeted ? lost_at(c, e, DQ_TEMPORARY, late.text) :
			    lost(c, e, DQ_UNAVAILABLE, late.text);
}

void conn_push(struct conn *c)
{
	while (!c->write_failed && c->out_at < c->out.len) {
		const char *bytes = c->out.bytes + c->out_at;
		size_t left = c->out.len - c->out_at;
		ssize_t n = c->tls ? tls_write(c->tls, bytes, left) :
				     send(c->redis->fd, bytes, left, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			c->write_failed = errno != EAGAIN && errno != EWOULDBLOCK;
			if (c->write_failed && errno != EPIPE && errno != ECONNRESET)
				/* out of memory, say: nothing else would end the wait */
				shutdown(c->redis->fd, SHUT_RDWR);
			return;
		}
		c->written = true;
		c->out_at += (size_t)n;
	}
	c->out.len = c->out_at = 0;
}

/* check_idle: nothing is in flight, so nothing may arrive, except an error that ends the
 * connection. It does not poll a socket that brought bytes within JUST_NOW: in a stream of requests
 * that would cost as much as half a request. */
static int check_idle(struct conn *c, struct err *e)
{
	struct redisReader *reader = c->redis->reader;
	struct pollfd p = {.fd = c->redis->fd, .events = POLLIN};
	void *got = NULL;

	if (reader->pos >= reader->len &&
	    (clock_ms() - c->heard <= JUST_NOW || poll(&p, 1, 0) <= 0 || pull(c, e) < 0))
		return c->redis ? 0 : -1;
	if (redisGetReplyFromReader(c->redis, &got) != REDIS_OK)
		return lost_redis(c, e);
	if (!got && c->tls && reader->pos >= reader->len)
		return 0; /* TLS 1.3 sends tickets for the resumption of sessions */
	if (got && ((struct redisReply *)got)->type == REDIS_REPLY_ERROR && !reply_of_script(got))
		return refused(c, got, e);
	reply_free(got);
	return lost(c, e, DQ_TEMPORARY, "the server sent what was not asked for");
}

int conn_short(struct conn *c, struct err *e)
{
	return lost(c, e, DQ_TEMPORARY, "out of memory");
}

int conn_send(struct conn *c, int argc, const char **argv, const size_t *lens, void *tag,
	      struct err *e)
{
	if (!c->redis)
		return err_set(e, DQ_TEMPORARY, "the connection was lost before");
	if (c->pending == CONN_PENDING_MAX)
		return err_set(e, DQ_INTERNAL, "too many requests in flight");
	if (!c->pending) {
		if (check_idle(c, e) < 0)
			return -1;
		c->written = false;
	}
	/* in a long stream the socket may never take all of it */
	c->out_at = buf_shift(&c->out, c->out_at);
	if (request_add(&c->out, argc, argv, lens) < 0)
		return conn_short(c, e);
	c->tags[(c->head + c->pending++) % CONN_PENDING_MAX] = tag;
	return 0;
}

bool conn_same_server(const struct conn *a, const struct conn *b)
{
	const struct url *x = &a->conf.url, *y = &b->conf.url;

	return x->kind == y->kind && x->server.port == y->server.port &&
	       strcmp(x->server.name, y->server.name) == 0;
}

int conn_expect(struct conn *c, void *tag, struct err *e)
{
	if (c->pending == CONN_PENDING_MAX)
		return err_set(e, DQ_INTERNAL, "too many requests in flight");
	c->tags[(c->head + c->pending++) % CONN_PENDING_MAX] = tag;
	return 0;
}

short conn_events(const struct conn *c)
{
	bool writing = c->out.len && !c->write_failed;

	if (c->tls)
		return tls_events(c->tls, writing);
	return writing ? POLLIN | POLLOUT : POLLIN;
}

/* exchange moves bytes both ways before the deadline. Returns 1, or 0 if none moved. */
static int exchange(struct conn *c, int64_t deadline, const struct wait *w, struct err *e)
{
	int ready;

	conn_push(c);
	ready = sock_wait_for(c->redis->fd, conn_events(c), deadline, w, e);
	if (ready < 0) /* stopped: nothing is lost, the caller may continue to wait */
		return e->status == DQ_STOPPED ? -1 : lost(c, e, e->status, "poll failed");
	return ready == 0 ? 0 : pull(c, e) < 0 ? -1 : 1;
}

/* next_reply returns 1 with a complete reply, 0 if there is none yet, -1 on error. */
static int next_reply(struct conn *c, struct redisReply **reply, void **tag, struct err *e)
{
	void *got = NULL;

	if (!c->redis || !c->pending)
		return err_set(e, DQ_INTERNAL, "no reply is due");
	if (redisGetReplyFromReader(c->redis, &got) != REDIS_OK)
		return lost_redis(c, e);
	if (!got)
		return 0;
	if (!c->got_reply && reply_refuses(got))
		return refused(c, got, e);
	c->got_reply = true;
	c->replied = clock_ms();
	*reply = got;
	*tag = c->tags[c->head];
	c->head = (c->head + 1) % CONN_PENDING_MAX;
	c->pending--;
	return 1;
}

int conn_recv(struct conn *c, const struct wait *wait, struct redisReply **reply, void **tag,
	      struct err *e)
{
	const struct wait *w = wait ? wait : &c->conf.wait;
	int64_t asked = clock_ms(), deadline;
	int got, moved = 1;
	bool late = false;

	/* A server that sends without end must not hold us: after the deadline,
	 * one more read is allowed. */
	while ((got = next_reply(c, reply, tag, e)) == 0) {
		/* what is done meanwhile may have brought it nearer */
		deadline = wait_deadline(w, asked);
		if (late || moved == 0)
			return conn_late(c, c->greeted ? deadline - asked : w->timeout, e);
		late = clock_ms() >= deadline;
		moved = exchange(c, deadline, w, e);
		if (moved < 0)
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
	conn_push(c); /* after the read: TLS may have waited for those bytes */
	return next_reply(c, reply, tag, e);
}
