/* conn: one connection to Redis. Every exchange has a deadline on the client's own monotonic clock,
 * and a signal can end it at once. hiredis only parses replies here. In hiredis 0.14.1 to 1.2 waits
 * swallow EINTR, a reconnect forgets AUTH and SELECT, and a write after a failed allocation
 * crashes. So this module polls and writes itself, and opens a new connection when one is lost. */
#ifndef DQ_CONN_H
#define DQ_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/durable.h"
#include "base/err.h"
#include "base/wait.h"
#include "redis/tls.h"
#include "redis/url.h"

struct redisContext;
struct redisReply;
struct reply_limit;

struct conn_conf {
	struct url url;           /* with the password to use, from any source */
	struct tls_conf tls;      /* for a URL with TLS */
	const char *client_name;  /* CLIENT SETNAME, so that an operator can identify each client */
	int64_t connect_timeout;  /* ms, for name, socket, AUTH and SELECT together */
	int64_t patience;         /* ms that one attempt to connect waits for the lookup of a host;
	                           * 0: connect_timeout (lookup.h) */
	struct wait wait;         /* for exchanges without a wait of their own */
	int64_t retry_for;        /* ms for which calls that fail for now are sent again
	                           * (patience.h); 0: only as calls.h and judge.h say */
	bool retry_named;         /* the user named retry_for, so it is the end also where it is
	                           * shorter than wait.timeout */
	struct durable durable;   /* for durability.h */
	/* reads the passwords again; true: one has changed. NULL: they do not change */
	bool (*password_again)(struct url *url);
};

#define CONN_PENDING_MAX 256 /* requests in flight */

struct conn {
	struct conn_conf conf;
	struct redisContext *redis;   /* NULL while closed */
	struct tls *tls;              /* NULL: plain */
	struct reply_limit *limit;    /* of its reader */
	void *tags[CONN_PENDING_MAX]; /* of the requests in flight: a ring */
	unsigned head, pending;
	struct buf out;               /* requests; up to out_at they are written */
	size_t out_at;
	int64_t heard;                /* clock_ms of the last read that got bytes */
	int64_t replied;              /* clock_ms of the last reply */
	unsigned opened;              /* how often it was opened: a call of an earlier opening
	                               * gets no reply */
	int64_t opened_at;            /* clock_ms: session_open succeeded; 0: the last one failed,
	                               * or session_lost knows that it is lost */
	bool written;                 /* the kernel took bytes of pending requests */
	bool write_failed;            /* a write failed: pending replies may carry the real error */
	bool got_reply;               /* the server has replied at least once */
	bool nameless;                /* CLIENT SETNAME is left out: the first server hung up before
	                               * it had replied at all, as proxies do that do not know it */
	bool greeted;                 /* session_open has completed */
	bool refused;                 /* the server refused the last connection in
	                               * its first reply */
	bool several;                 /* its host has several addresses,
	                               * and this is that of a master */
	bool of_cluster;              /* the server of the last greeting is a replica
	                               * of a cluster */
	bool unauthorized;            /* the last connection, or a Sentinel,
	                               * refused the password: session_open */
	bool looks_up;                /* the last attempt to connect ended early: a host is being
	                               * looked up, and the next attempt goes on */
	uint64_t known;               /* scripts that its server is known to have:
	                               * script_is_known */
	const char *stale;            /* replica.h */
};

void conn_init(struct conn *c, const struct conn_conf *conf);

#define CONN_NAME 40

/* conn_beside makes one more connection to the one server that conf leads to now, for what calls
 * must not wait for. name gets its client name, that of conf and -word, and must live as long. */
void conn_beside(struct conn *c, const struct conn_conf *conf, const char *word,
		 char name[CONN_NAME]);

/* conn_adopt makes a connection of fd, a connected socket, which it closes if it fails;
 * with a TLS URL it greets the server. Until its caller, session_open, sets greeted, a
 * time-out is DQ_UNAVAILABLE. */
int conn_adopt(struct conn *c, int fd, const struct wait *wait, struct err *e);
void conn_close(struct conn *c);

/* conn_same_server: do their URLs lead to the same server? */
bool conn_same_server(const struct conn *a, const struct conn *b);

/* conn_send queues a request and copies its arguments. conn_recv returns tag with the reply
 * (NULL: the reply is dropped). On an idle connection it first checks whether the server has closed
 * the connection or sent an unrequested reply. If so, it closes the connection, and the error is
 * FATE_NOT_DONE. It skips this check if the last bytes arrived just now. */
int conn_send(struct conn *c, int argc, const char **argv, const size_t *lens, void *tag,
	      struct err *e);

/* conn_push writes what the socket accepts without waiting;
 * if a write fails, the next read reports it. */
void conn_push(struct conn *c);

/* conn_words is conn_send for texts: at most CONN_WORDS_MAX, then NULL. */
#define CONN_WORDS_MAX 4
int conn_words(struct conn *c, const char *const words[], void *tag, struct err *e);

/* conn_expect: one more reply is due, which no request asks for: the next message of a
 * subscription. -1: too many are due. */
int conn_expect(struct conn *c, void *tag, struct err *e);

/* conn_short reports out of memory as conn_send would. */
int conn_short(struct conn *c, struct err *e);

/* conn_recv waits for the next reply, in order of sending; the caller frees it by reply_free. wait
 * NULL: conf.wait. DQ_STOPPED changes nothing: the caller may continue to wait. Any other error
 * closes the connection and drops all tags. DQ_TEMPORARY: lost, timed out, too many clients;
 * DQ_AUTH: a password is required; DQ_CONFIG: this is not a Redis server; DQ_INTERNAL: invalid
 * bytes after valid replies. e->fate says whether any byte of the unanswered requests may have
 * reached the server. */
int conn_recv(struct conn *c, const struct wait *wait, struct redisReply **reply, void **tag,
	      struct err *e);

/* conn_late closes the connection: its reply did not come within ms. */
int conn_late(struct conn *c, int64_t ms, struct err *e);

/* conn_forget: nobody waits any more for the reply with that tag; it is dropped when it comes. */
void conn_forget(struct conn *c, const void *tag);

/* conn_events: what to poll the socket for. */
short conn_events(const struct conn *c);

/* conn_try is conn_recv without waiting: 1 a reply, 0 none yet, -1 error. */
int conn_try(struct conn *c, struct redisReply **reply, void **tag, struct err *e);

#endif
