#include "queue/waiter.h"

#include <errno.h>
#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "redis/reply.h"
#include "redis/script.h"
#include "redis/session.h"

#define CAP_MS 5000       /* a wait ends after 5 to 6 s */
#define GRACE_MS 1500     /* more than that late, the server or the way to it is dead */
#define BLIND_MS INT64_C(100)      /* between polls if blocking is not allowed, or not possible now */
#define AGAIN_MS INT64_C(50)       /* then CLIENT UNBLOCK is sent again */

int waiter_init(struct waiter *w, struct conn *conn, struct queue *queues, int count, int what, struct err *e)
{
	memset(w, 0, sizeof *w);
	w->conn = conn;
	w->queues = queues;
	w->count = count;
	w->what = what;
	w->cap = CAP_MS;
	block_init(&w->block, &conn->conf);
	return marks_init(&w->marks, queues, count) < 0 ? err_memory(e) : 0;
}

void waiter_lost(struct waiter *w)
{
	if (block_close(&w->block) && w->what & WAITER_TIME)
		marks_lose(&w->marks);
}

/* follow: both connections are to the same server, or an id of one would mean a stranger on the other. */
static void follow(struct waiter *w)
{
	if (block_follow(&w->block, w->conn) && w->what & WAITER_TIME)
		marks_lose(&w->marks);
}

void waiter_free(struct waiter *w)
{
	waiter_lost(w);
	marks_free(&w->marks);
}

/* troubled: waiting does not work now, for the reason in *e. Until it works again the tool polls. */
static void troubled(struct waiter *w, const struct err *e)
{
	waiter_lost(w);
	session_lost(&w->block.session, NULL, e);
}

int64_t waiter_held(const struct waiter *w, int queue)
{
	return w->what & WAITER_TIME ? marks_held(&w->marks, queue) : HELD_NONE;
}

void waiter_looked(struct waiter *w, int queue, int64_t server_us, int64_t asked_us, bool found)
{
	if (asked_us >= 0)
		clock_compare(&w->offset, server_us, asked_us, clock_us());
	marks_spend(&w->marks, queue, found, server_us / 1000);
}

/* send_wait: BZPOPMIN over the marks of all queues, ready ones first. */
static int send_wait(struct waiter *w, struct err *e)
{
	int64_t cap = w->cap + clock_us() % (w->cap / 5); /* spread by whatever the clock says */
	struct call call = {0};

	call_plain(&call, "BZPOPMIN");
	for (int i = 0; i < w->count && (w->what & WAITER_READY); i++)
		call_text(&call, w->queues[i].keys.key[PART_WAKE]);
	for (int i = 0; i < w->count && (w->what & WAITER_TIME); i++)
		call_text(&call, w->queues[i].keys.key[PART_TIMER]);
	for (int i = 0; i < w->count && (w->what & WAITER_TIME); i++) {
		w->marks.open[i] = marks_lists(&w->marks, i);
		if (w->marks.open[i])
			call_text(&call, w->queues[i].keys.key[PART_GUARD]);
	}
	if (w->marks.also)
		call_text(&call, w->marks.also);
	w->give_up = clock_us() + (cap + GRACE_MS) * 1000;
	return block_pop(&w->block, &call, cap, e);
}

/* ended: did the reply to the open BZPOPMIN come before until_us? Then its mark is held. 1 yes, 0 not yet, -1 the connection is lost. */
static int ended(struct waiter *w, int64_t until_us, struct err *e)
{
	struct redisReply *reply;
	int got = block_reply(&w->block, until_us, &reply, e);

	if (got <= 0)
		return got;
	session_answered(&w->block.session);
	if (marks_is(reply))
		marks_hold(&w->marks, reply);
	reply_free(reply);
	return 1;
}

/* withdraw ends the open BZPOPMIN. CLIENT UNBLOCK, on another connection, may arrive before it and then does nothing; so it is sent
 * again, and meanwhile the marks that are held are returned. Half of the time is left for what follows on that connection: beyond
 * wait->until no reply would come in time, and it would count as lost. */
static int withdraw(struct waiter *w, const struct wait *wait, struct err *e)
{
	int64_t now = clock_ms(), until = clock_us() + clock_sooner((wait_deadline(wait, now) - now) / 2, GRACE_MS) * 1000;
	int allowed, got;

	for (;;) {
		allowed = block_end(&w->block, w->conn, wait, e);
		if (allowed < 0)
			return -1;
		got = allowed ? ended(w, clock_sooner(clock_us() + AGAIN_MS * 1000, until), e) : -1;
		if (got > 0)
			return 0;
		if (got < 0 || clock_us() >= until)
			break;
		if (marks_return(&w->marks, w->conn, wait, e) < 0)
			return -1;
	}
	/* Not allowed, or dead: what it may have popped is unknown, so one call may be in vain. */
	for (int i = 0; i < w->count && w->what & WAITER_READY; i++)
		w->marks.ready[i] = true;
	w->block.forbidden = w->block.forbidden || !allowed;
	err_set(e, DQ_TEMPORARY, "BZPOPMIN did not end");
	troubled(w, e);
	return 0;
}

/* firm: a signal must not interrupt the exchange: its marks would be lost. */
static struct wait firm(const struct waiter *w, const struct wait *wait)
{
	const struct wait *by = wait ? wait : &w->conn->conf.wait;

	return wait_firm(by, by->timeout);
}

/* prepare ends an open wait that lacks a guard, and returns guards that this tool must not hold. */
static int prepare(struct waiter *w, const struct wait *wait, struct err *e)
{
	const struct wait by = firm(w, wait);

	if (w->block.open && w->what & WAITER_TIME && marks_lacks(&w->marks) && withdraw(w, &by, e) < 0)
		return -1;
	return marks_pass(&w->marks, &by, e);
}

int waiter_open(struct waiter *w, const struct wait *wait, struct err *e)
{
	int able;

	follow(w);
	if (prepare(w, wait, e) < 0)
		return -1;
	if (w->block.open)
		return 0;
	able = block_up(&w->block, wait, e);
	if (able < 0)
		return -1;
	if (able && send_wait(w, e) == 0)
		return 0;
	if (able)
		troubled(w, e);
	w->give_up = clock_us() + BLIND_MS * 1000;
	return 0;
}

int waiter_fd(const struct waiter *w)
{
	return block_fd(&w->block);
}

short waiter_events(const struct waiter *w)
{
	return block_events(&w->block);
}

int64_t waiter_time(const struct waiter *w)
{
	int64_t at = marks_time(&w->marks);

	return at >= 0 ? clock_sooner(at * 1000 - w->offset.us, w->give_up) : w->give_up;
}

/* heard handles the reply to BZPOPMIN: 1 a call is useful, 0 wait on, -1 an unexpected reply. */
static int heard(struct waiter *w, const struct redisReply *reply, struct err *e)
{
	if (reply->type == REDIS_REPLY_ERROR) {
		reply_failed(reply, e);
		w->block.forbidden = e->status == DQ_AUTH || e->status == DQ_CONFIG;
		troubled(w, e);
		return 1;
	}
	session_answered(&w->block.session);
	if (marks_is(reply))
		return marks_hold(&w->marks, reply);
	if (reply->type == REDIS_REPLY_NIL)
		return 1; /* the wait is over: poll once */
	return err_set(e, DQ_INTERNAL, "unexpected reply to BZPOPMIN");
}

/* hear reads what came on the connection for waiting: as waiter_read. */
static int hear(struct waiter *w, const struct wait *wait, struct err *e)
{
	struct redisReply *reply;
	int status = block_reply(&w->block, 0, &reply, e);

	if (status == 0)
		return 0;
	if (status < 0) {
		troubled(w, e);
		return 1;
	}
	status = heard(w, reply, e);
	reply_free(reply);
	return status == 0 ? waiter_open(w, wait, e) : status;
}

int waiter_read(struct waiter *w, const struct wait *wait, struct err *e)
{
	struct err late;
	int status;

	if (block_strays(&w->block, w->conn))
		return 1; /* the next wait is at the right place */
	status = w->block.open ? hear(w, wait, e) : 0;
	if (status != 0 || clock_us() < waiter_time(w))
		return status;
	if (w->block.open && clock_us() >= w->give_up) {
		err_set(&late, DQ_TEMPORARY, "the server did not end the wait");
		troubled(w, &late);
	}
	return 1;
}

int waiter_rest(struct waiter *w, const struct wait *wait, struct err *e)
{
	const struct wait by = firm(w, wait);

	follow(w);
	if (w->block.open && withdraw(w, &by, e) < 0)
		return -1;
	return marks_return(&w->marks, w->conn, &by, e);
}

int waiter_sleep(struct waiter *w, int64_t until_us, int also_fd, const struct wait *wait, struct err *e)
{
	int stop_fd = wait ? wait->stop_fd : w->conn->conf.wait.stop_fd;

	if (waiter_open(w, wait, e) < 0)
		return -1;
	for (;;) {
		int64_t at = waiter_time(w);
		struct pollfd p[3] = {{.fd = waiter_fd(w), .events = waiter_events(w)}, {.fd = stop_fd, .events = POLLIN},
				      {.fd = also_fd, .events = 0}};
		int n = clock_poll(p, 3, until_us >= 0 && until_us < at ? until_us : at);

		if (n < 0 && errno != EINTR)
			return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
		if (n > 0 && p[1].revents)
			return err_set(e, DQ_STOPPED, "interrupted");
		if (n > 0 && p[2].revents & (POLLERR | POLLHUP | POLLNVAL))
			return 1;
		n = waiter_read(w, wait, e);
		if (n != 0)
			return n;
		if (until_us >= 0 && clock_us() >= until_us)
			return 0;
	}
}
