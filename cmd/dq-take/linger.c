#include "linger.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "queue/stat.h"
#include "tool/out.h"

/* No mark says how many messages are due, so it asks Redis again and again: so many times while it
 * lingers, but not more often, and not less often, than the next two say. */
#define LOOKS 50
#define OFTEN_MS INT64_C(20)
#define SELDOM_MS INT64_C(1000)

/* What is due in all shards. */
struct due {
	int64_t count;
	int64_t left; /* ms until the first one has been due for long enough; at most 0: it has */
	bool changed; /* a queue has another number of shards than was thought: the next
	               * round learns it */
};

static int64_t first_due(const struct queue_counts *c, bool promotes)
{
	if (promotes && c->earliest_due >= 0 &&
	    (c->oldest_ready < 0 || c->earliest_due < c->oldest_ready))
		return c->earliest_due;
	return c->oldest_ready;
}

/* add: expired messages may be among those that are due, or among others; the next take removes
 * those that it meets. */
static void add(struct due *due, const struct queue_counts *c, const struct options *o)
{
	int64_t count = c->ready + (o->conf.promote ? c->due : 0);

	if (c->why || count == 0)
		return;
	due->count += count > c->expired ? count - c->expired : 1;
	due->left = clock_sooner(due->left, first_due(c, o->conf.promote) + o->linger - c->now);
}

/* is_away: such a shard fails in the next round, too, which says what that means. */
static bool is_away(const struct err *e)
{
	return e->fate == FATE_SHARDS || e->fate == FATE_MOVING || err_passes(e);
}

/* look_into: a queue of one shard may learn that it has more;
 * then the rounds learn it from their own call. */
static int look_into(const struct queue *shard, struct queue_counts *counts, struct due *due,
		     struct err *e)
{
	struct queue one = *shard;
	int status;

	one.groups = NULL;
	status = queue_stat(&one, counts, e);
	due->changed = due->changed || one.shards != shard->shards ||
		       (status < 0 && e->fate == FATE_SHARDS);
	queue_free(&one);
	return status;
}

static int look(struct taker *t, struct due *due, struct err *e)
{
	*due = (struct due){.count = 0, .left = INT64_MAX, .changed = false};
	for (int i = 0; i < t->rounds.list.count; i++) {
		struct queue_counts counts;
		int status = look_into(&t->rounds.list.all[i], &counts, due, e);
		if (status == 0)
			add(due, &counts, t->options);
		queue_counts_free(&counts);
		t->at = i;
		if (status < 0 && !is_away(e))
			return -1;
	}
	return 0;
}

/* pause_for waits so many ms. -1: a signal, or the reader is gone. */
static int pause_for(const struct taker *t, int64_t ms, struct err *e)
{
	struct pollfd p[2] = {{.fd = t->x->conf->wait.stop_fd, .events = POLLIN, .revents = 0},
			      {.fd = STDOUT_FILENO, .events = 0, .revents = 0}};
	int n = clock_poll(p, 2, clock_us() + ms * 1000);

	if (n < 0 && errno != EINTR)
		return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
	if (n > 0 && p[0].revents)
		return err_set(e, DQ_STOPPED, "interrupted");
	return n > 0 ? out_check(e) : 0;
}

int linger_await(struct taker *t, struct err *e)
{
	const struct options *o = t->options;
	int64_t ms = clock_sooner(o->linger / LOOKS, SELDOM_MS);
	struct due due;

	if (o->linger < 0)
		return 1;
	for (;;) {
		if (look(t, &due, e) < 0)
			return -1;
		if (due.count > 0 && (due.count >= o->conf.count || due.left <= 0))
			return 1;
		if (due.count == 0 && !due.changed)
			return 0;
		if (t->waits && waiter_rest(&t->rounds.waiter, NULL, e) < 0)
			return -1;
		if (pause_for(t, clock_sooner(due.left, ms > OFTEN_MS ? ms : OFTEN_MS), e) < 0)
			return -1;
		if (due.changed)
			return 0;
	}
}
