#include "waiting/waiter.h"

#include <errno.h>
#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "redis/nodes.h"
#include "redis/reply.h"

#define CAP_MS 5000 /* a wait ends after 5 to 6 s */
#define MANY_MS INT64_C(1000) /* between polls of more queues than there can be waits */

int waiter_init(struct waiter *w, struct exchange *x, struct queue *queues, int count, int what,
		struct err *e)
{
	memset(w, 0, sizeof *w);
	w->waits.x = x;
	w->waits.what = what;
	w->waits.cap = CAP_MS;
	w->offsets = calloc((size_t)count + 1, sizeof *w->offsets);
	if (!w->offsets || marks_init(&w->waits.marks, queues, count) < 0)
		return err_memory(e);
	return waits_arrange(&w->waits, e);
}

void waiter_lost(struct waiter *w)
{
	for (int i = 0; i < w->waits.count; i++) {
		struct waits_one *x = &w->waits.all[i];
		if (!w->waits.x->nodes.cluster || !waits_by(&w->waits, x)->conn.redis)
			waits_lose(&w->waits, x);
	}
}

void waiter_free(struct waiter *w)
{
	waits_free(&w->waits);
	free(w->offsets);
	w->offsets = NULL;
}

struct held waiter_held(const struct waiter *w, int queue)
{
	return w->waits.what & WAITER_TIME ? marks_held(&w->waits.marks, queue) :
					     (struct held){.what = HELD_NOTHING};
}

/* wait_of returns the wait of this queue alone; NULL: outside a cluster there is none. */
static struct waits_one *wait_of(const struct waiter *w, int queue)
{
	return w->waits.x->nodes.cluster && queue < w->waits.count ? &w->waits.all[queue] : NULL;
}

void waiter_called(struct waiter *w, int queue, int64_t server_us, int64_t asked_us, bool found)
{
	struct waits_one *x = wait_of(w, queue);

	if (asked_us >= 0)
		clock_compare(&w->offsets[queue], server_us, asked_us, clock_us());
	if (asked_us >= 0 && queue > 0 && !w->waits.x->nodes.cluster)
		clock_compare(&w->offsets[0], server_us, asked_us, clock_us());
	marks_release(&w->waits.marks, queue, found, server_us / 1000);
	if (x)
		x->call_now = found;
}

bool waiter_wants(const struct waiter *w, int queue)
{
	const struct waits_one *x = wait_of(w, queue);

	return !x || !x->block.open || x->call_now;
}

void waiter_spared(struct waiter *w, int queue)
{
	struct waits_one *x = wait_of(w, queue);

	/* if it still held the time, it would poll again at once */
	marks_release(&w->waits.marks, queue, false, INT64_MAX);
	if (x)
		x->call_now = false;
}

void waiter_failed(struct waiter *w, int queue)
{
	struct waits_one *x = wait_of(w, queue);

	if (!x)
		return;
	waits_lose(&w->waits, x);
	/* if it still held the time, it would poll again at once */
	marks_release(&w->waits.marks, queue, false, INT64_MAX);
	w->waits.marks.doubt[queue] = MARKS_LOST;
	x->give_up = clock_us() + WAITS_POLL_MS * 1000;
	x->call_now = false;
}

/* firm: a signal must not interrupt the exchange, because its marks would be lost. */
static struct wait firm(const struct waiter *w, const struct wait *wait)
{
	const struct wait *by = wait ? wait : &w->waits.x->conf->wait;

	return wait_firm(by, by->timeout);
}

/* prepare ends waits in progress without a guard,
 * and returns guards that this tool must not hold. */
static int prepare(struct waiter *w, const struct wait *wait, struct err *e)
{
	const struct wait by = firm(w, wait);

	for (int i = 0; i < w->waits.count && w->waits.what & WAITER_TIME; i++) {
		struct waits_one *x = &w->waits.all[i];
		if (x->block.open && marks_lacks(&w->waits.marks, x->from, x->to) &&
		    waits_withdraw(&w->waits, x, &by, e) < 0)
			return -1;
	}
	return marks_pass(&w->waits.marks, &by, e);
}

int waiter_open(struct waiter *w, const struct wait *wait, struct err *e)
{
	if (waits_arrange(&w->waits, e) < 0)
		return -1;
	waits_follow(&w->waits);
	if (prepare(w, wait, e) < 0)
		return -1;
	for (int i = 0; i < w->waits.count; i++) {
		struct waits_one *x = &w->waits.all[i];
		if (waits_open(&w->waits, x, wait, e) < 0)
			return -1;
	}
	if (w->waits.count == 0 && w->give_up <= clock_us())
		w->give_up = clock_us() + MANY_MS * 1000;
	return 0;
}

nfds_t waiter_polls(const struct waiter *w, struct pollfd polls[WAITER_POLLS])
{
	nfds_t n = 0;

	for (int i = 0; i < w->waits.count; i++) {
		const struct block *b = &w->waits.all[i].block;
		if (block_fd(b) >= 0)
			polls[n++] = (struct pollfd){.fd = block_fd(b), .events = block_events(b)};
	}
	return n;
}

/* time_of: until when that wait lasts. */
static int64_t time_of(const struct waiter *w, const struct waits_one *x)
{
	int64_t at = marks_time(&w->waits.marks, x->from, x->to);

	if (at < 0)
		return x->give_up;
	at = clock_sooner(at * 1000 - w->offsets[x->from].us, x->give_up);
	return at > 0 ? at : 0; /* clock_poll would take it for never */
}

int64_t waiter_time(const struct waiter *w)
{
	const struct marks *m = &w->waits.marks;
	int64_t first = w->waits.count ? INT64_MAX : w->give_up;

	if (m->ready[m->count])
		return 0;
	for (int i = 0; i < w->waits.count; i++)
		first = clock_sooner(first,
				     w->waits.all[i].call_now ? 0 : time_of(w, &w->waits.all[i]));
	return first;
}

/* heard handles the reply to BZPOPMIN: 1 a call is useful, 0 wait on, -1 an unexpected reply. */
static int heard(struct waiter *w, struct waits_one *x, const struct redisReply *reply,
		 struct err *e)
{
	if (reply->type == REDIS_REPLY_ERROR) {
		reply_failed(reply, e);
		x->block.forbidden = e->status == DQ_AUTH || e->status == DQ_CONFIG;
		waits_troubled(&w->waits, x, e);
		return 1;
	}
	session_answered(&x->block.session);
	if (marks_is(reply))
		return marks_hold(&w->waits.marks, reply);
	if (reply->type == REDIS_REPLY_NIL)
		return 1; /* the wait is over: poll once */
	return err_set(e, DQ_INTERNAL, "unexpected reply to BZPOPMIN");
}

/* hear reads the replies on the connection for waiting. Returns as waiter_read. */
static int hear(struct waiter *w, struct waits_one *x, const struct wait *wait, struct err *e)
{
	struct redisReply *reply;
	int status = block_reply(&x->block, 0, &reply, e);

	if (status == 0)
		return 0;
	if (status < 0) {
		waits_troubled(&w->waits, x, e);
		return 1;
	}
	status = heard(w, x, reply, e);
	reply_free(reply);
	return status == 0 ? waiter_open(w, wait, e) : status;
}

/* read_one reads those of the i-th wait. Returns as waiter_read. */
static int read_one(struct waiter *w, int i, const struct wait *wait, struct err *e)
{
	struct waits_one *x = &w->waits.all[i];
	struct err late;
	int status;

	if (waits_strays(&w->waits, x))
		return 1; /* the next wait uses the right node */
	status = x->block.open ? hear(w, x, wait, e) : 0;
	x = &w->waits.all[i]; /* hear may have moved them */
	if (status != 0 || i >= w->waits.count || clock_us() < time_of(w, x))
		return status;
	if (x->block.open && clock_us() >= x->give_up) {
		err_set(&late, DQ_TEMPORARY, "the server did not end the wait");
		waits_troubled(&w->waits, x, &late);
	}
	return 1;
}

int waiter_read(struct waiter *w, const struct wait *wait, struct err *e)
{
	int status = 0;

	for (int i = 0; i < w->waits.count && status >= 0; i++) {
		status = read_one(w, i, wait, e);
		if (i < w->waits.count && w->waits.x->nodes.cluster)
			w->waits.all[i].call_now = w->waits.all[i].call_now || status > 0;
	}
	if (status < 0)
		return -1;
	if (!w->waits.x->nodes.cluster) /* there is one wait, whose reads cover all queues */
		return status || w->waits.marks.ready[w->waits.marks.count];
	return clock_us() >= waiter_time(w);
}

int waiter_rest(struct waiter *w, const struct wait *wait, struct err *e)
{
	const struct wait by = firm(w, wait);

	waits_follow(&w->waits);
	if (waits_withdraw_all(&w->waits, &by, e) < 0)
		return -1;
	return marks_return(&w->waits.marks, w->waits.x, &by, e);
}

int waiter_end(struct waiter *w, const struct wait *wait, struct err *e)
{
	if (waiter_rest(w, wait, e) == 0)
		return 0;
	return w->waits.x->nodes.cluster && err_passes(e) ? 0 : -1;
}

int waiter_sleep(struct waiter *w, int64_t until_us, int also_fd, const struct wait *wait,
		 struct err *e)
{
	int stop_fd = wait ? wait->stop_fd : w->waits.x->conf->wait.stop_fd;

	if (waiter_open(w, wait, e) < 0)
		return -1;
	for (;;) {
		int64_t at = waiter_time(w);
		struct pollfd p[2 + WAITER_POLLS] = {{.fd = stop_fd, .events = POLLIN},
						     {.fd = also_fd, .events = 0}};
		int n = clock_poll(p, 2 + waiter_polls(w, p + 2),
				   until_us >= 0 && until_us < at ? until_us : at);

		if (n < 0 && errno != EINTR)
			return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
		if (n > 0 && p[0].revents)
			return err_set(e, DQ_STOPPED, "interrupted");
		if (n > 0 && p[1].revents & (POLLERR | POLLHUP | POLLNVAL))
			return 1;
		n = waiter_read(w, wait, e);
		if (n != 0)
			return n;
		if (until_us >= 0 && clock_us() >= until_us)
			return 0;
	}
}
