#include "waiter.h"

#include <errno.h>
#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "reply.h"
#include "script.h"

#define CAP_MS 5000       /* a wait ends after 5 to 6 s */
#define GRACE_MS 1500     /* more than that late, the server or the way to it is dead */
#define BLIND_MS 100      /* between looks where blocking is not allowed */

int waiter_init(struct waiter *w, struct conn *conn, struct queue *queues, int count, int what, struct err *e)
{
	memset(w, 0, sizeof *w);
	w->conn = conn;
	w->queues = queues;
	w->count = count;
	w->what = what;
	w->cap = CAP_MS;
	conn_init(&w->wait, &conn->conf);
	snprintf(w->name, sizeof w->name, "%s-wait", conn->conf.client_name);
	w->wait.conf.client_name = w->name;
	w->timers = malloc((size_t)(count + 1) * sizeof *w->timers);
	if (!w->timers)
		return err_memory(e);
	for (int i = 0; i < count; i++)
		w->timers[i] = -1;
	return 0;
}

void waiter_lost(struct waiter *w)
{
	conn_close(&w->wait);
	w->open = false;
}

void waiter_free(struct waiter *w)
{
	waiter_lost(w);
	free(w->timers);
	w->timers = NULL;
}

void waiter_looked(struct waiter *w, int queue, int64_t server_us, int64_t asked_us)
{
	w->offset = server_us - (asked_us + clock_us()) / 2;
	if (w->timers[queue] >= 0 && w->timers[queue] <= server_us / 1000)
		w->timers[queue] = -1;
}

static int send_words(struct conn *c, const char *a, const char *b, const char *third, struct err *e)
{
	const char *argv[] = {a, b, third};
	const size_t lens[] = {strlen(a), strlen(b), third ? strlen(third) : 0};

	return conn_send(c, third ? 3 : 2, argv, lens, c, e);
}

/* ask sends one command and waits for its reply, which the caller frees. */
static struct redisReply *ask(struct conn *c, const char *a, const char *b, const char *third, struct err *e)
{
	struct redisReply *reply;
	void *tag;

	if (send_words(c, a, b, third, e) < 0)
		return NULL;
	while (conn_recv(c, &reply, &tag, e) == 0) {
		if (tag)
			return reply;
		reply_free(reply); /* CLIENT SETNAME's */
	}
	return NULL;
}

/* connect opens the connection for waiting and learns its id, by which the wait can be taken back. */
static int connect_wait(struct waiter *w, struct err *e)
{
	struct redisReply *reply;
	int status = 0;

	w->wait.conf.timeout = w->conn->conf.timeout; /* dq-run shortens them when a lease is about to end */
	w->wait.conf.connect_timeout = w->conn->conf.connect_timeout;
	if (conn_open(&w->wait, e) < 0)
		return -1;
	reply = ask(&w->wait, "CLIENT", "ID", NULL, e);
	if (!reply)
		return -1;
	if (reply->type == REDIS_REPLY_INTEGER)
		snprintf(w->client_id, sizeof w->client_id, "%lld", reply->integer);
	else if (reply->type == REDIS_REPLY_ERROR && reply_failed(reply, e) < 0 && e->status != DQ_AUTH && e->status != DQ_CONFIG)
		status = -1;
	else
		w->blind = true;
	reply_free(reply);
	return status;
}

/* send_wait: BZPOPMIN over the marks of all queues, ready ones first. */
static int send_wait(struct waiter *w, struct err *e)
{
	int64_t cap = w->cap + clock_us() % (w->cap / 5); /* spread by whatever the clock says */
	struct call call = {0};
	int status;

	snprintf(w->patience, sizeof w->patience, "%lld.%03lld", (long long)(cap / 1000), (long long)(cap % 1000));
	call_plain(&call, "BZPOPMIN");
	for (int i = 0; i < w->count && (w->what & WAITER_READY); i++)
		call_text(&call, w->queues[i].keys.key[PART_WAKE]);
	for (int i = 0; i < w->count && (w->what & WAITER_TIME); i++)
		call_text(&call, w->queues[i].keys.key[PART_TIMER]);
	if (w->also)
		call_text(&call, w->also);
	call_text(&call, w->patience);
	status = conn_send(&w->wait, call.argc, call.argv, call.lens, w, e);
	if (status == 0)
		status = conn_push(&w->wait, e) < 0 ? -1 : 0;
	call_free(&call);
	w->open = status == 0;
	w->give_up = clock_us() + (cap + GRACE_MS) * 1000;
	return status;
}

int waiter_open(struct waiter *w, struct err *e)
{
	if (w->open)
		return 0;
	if (!w->blind && !w->wait.redis && connect_wait(w, e) < 0) {
		waiter_lost(w);
		return -1;
	}
	if (w->blind) {
		waiter_lost(w);
		w->give_up = clock_us() + BLIND_MS * 1000;
		return 0;
	}
	return send_wait(w, e);
}

int waiter_fd(const struct waiter *w)
{
	return w->open ? w->wait.redis->fd : -1;
}

int64_t waiter_time(const struct waiter *w)
{
	int64_t at = w->give_up;

	for (int i = 0; i < w->count; i++)
		if (w->timers[i] >= 0 && w->timers[i] * 1000 - w->offset < at)
			at = w->timers[i] * 1000 - w->offset;
	return at;
}

/* keep takes a mark: 1 if it means to look now, 0 if it is a time to keep. */
static int keep(struct waiter *w, const struct redisReply *reply)
{
	const char *k = reply->element[0]->str;
	int64_t at = strtoll(reply->element[2]->str, NULL, 10);

	for (int i = 0; i < w->count; i++)
		if (!strcmp(k, w->queues[i].keys.key[PART_TIMER])) {
			if (w->timers[i] < 0 || at < w->timers[i])
				w->timers[i] = at;
			return 0;
		}
	return 1;
}

static bool is_mark(const struct redisReply *reply)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING)
			return false;
	return true;
}

/* heard: BZPOPMIN has answered: 1 look, 0 wait on, -1 error. */
static int heard(struct waiter *w, const struct redisReply *reply, struct err *e)
{
	w->open = false;
	if (is_mark(reply))
		return keep(w, reply);
	if (reply->type == REDIS_REPLY_NIL)
		return 1; /* the wait is over: look anew */
	if (reply->type != REDIS_REPLY_ERROR)
		return err_set(e, DQ_INTERNAL, "unexpected reply to BZPOPMIN");
	reply_failed(reply, e);
	if (e->status != DQ_AUTH && e->status != DQ_CONFIG)
		return -1;
	w->blind = true;
	return 0;
}

int waiter_read(struct waiter *w, struct err *e)
{
	struct redisReply *reply;
	void *tag;
	int status;

	if (clock_us() >= waiter_time(w)) {
		if (w->open && clock_us() >= w->give_up)
			return err_set(e, DQ_TEMPORARY, "the server did not end a wait in time");
		return 1;
	}
	if (!w->open)
		return 0;
	status = conn_try(&w->wait, &reply, &tag, e);
	if (status <= 0)
		return status;
	if (!tag) { /* CLIENT SETNAME's */
		reply_free(reply);
		return 0;
	}
	status = heard(w, reply, e);
	reply_free(reply);
	if (status == 0)
		return waiter_open(w, e);
	return status;
}

/* put_back returns a ready mark that we took and do not act on. That of new queues has no script: where memory is full it is not
 * put back, but then there are no new queues. */
static int put_back(struct waiter *w, const char *k, struct err *e)
{
	struct call call = {0};
	int status;

	for (int i = 0; i < w->count; i++)
		if (!strcmp(k, w->queues[i].keys.key[PART_WAKE]))
			return queue_mark(&w->queues[i], PART_WAKE, 0, e);
	call_plain(&call, "ZADD");
	call_text(&call, k);
	call_text(&call, "0");
	call_text(&call, "r");
	status = script_run(w->conn, &call, e);
	call_free(&call);
	return status < 0 && w->conn->redis && e->status == DQ_TEMPORARY ? 0 : status;
}

/* withdraw ends the open BZPOPMIN. A mark that it popped all the same is kept or put back. */
static int withdraw(struct waiter *w, struct err *e)
{
	struct redisReply *reply = ask(w->conn, "CLIENT", "UNBLOCK", w->client_id, e);
	void *tag;
	int status;

	if (!reply)
		return -1;
	status = reply->type == REDIS_REPLY_INTEGER ? 0 : -1;
	reply_free(reply);
	if (status < 0 || conn_recv(&w->wait, &reply, &tag, e) < 0) {
		/* Not allowed, or dead: what it may have popped is unknown, so somebody looks once in vain. */
		waiter_lost(w);
		w->blind = status < 0;
		return w->what & WAITER_READY ? queue_mark(&w->queues[0], PART_WAKE, 0, e) : 0;
	}
	w->open = false;
	status = 0;
	if (is_mark(reply) && keep(w, reply))
		status = put_back(w, reply->element[0]->str, e);
	reply_free(reply);
	return status;
}

int waiter_rest(struct waiter *w, struct err *e)
{
	int stop_fd = w->conn->conf.stop_fd, status = 0;

	w->conn->conf.stop_fd = w->wait.conf.stop_fd = -1;
	w->wait.conf.timeout = w->conn->conf.timeout;
	if (w->open)
		status = withdraw(w, e);
	for (int i = 0; i < w->count && status == 0; i++) {
		if (w->timers[i] < 0)
			continue;
		status = queue_mark(&w->queues[i], PART_TIMER, w->timers[i], e);
		w->timers[i] = -1;
	}
	w->conn->conf.stop_fd = w->wait.conf.stop_fd = stop_fd;
	return status;
}

int waiter_sleep(struct waiter *w, int64_t until_us, int also_fd, struct err *e)
{
	if (waiter_open(w, e) < 0)
		return -1;
	for (;;) {
		int64_t at = waiter_time(w);
		struct pollfd p[3] = {{.fd = waiter_fd(w), .events = POLLIN}, {.fd = w->conn->conf.stop_fd, .events = POLLIN},
				      {.fd = also_fd, .events = 0}};
		int n = clock_poll(p, 3, until_us >= 0 && until_us < at ? until_us : at);

		if (n < 0 && errno != EINTR)
			return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
		if (n > 0 && p[1].revents)
			return err_set(e, DQ_STOPPED, "interrupted");
		if (n > 0 && p[2].revents & (POLLERR | POLLHUP | POLLNVAL))
			return 1;
		n = waiter_read(w, e);
		if (n != 0)
			return n;
		if (until_us >= 0 && clock_us() >= until_us)
			return 0;
	}
}
