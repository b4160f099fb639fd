#include "queue/idle.h"

#include <string.h>

#include "base/num.h"
#include "queue/stat.h"

#define COUNTER_MAX (INT64_C(1) << 53)
#define PASSES 5

/* leaves: does a move that counts this end work, or put it off? */
static bool leaves(const char *counter)
{
	static const char *const names[] = {"acked", "retried", "given_back", "released", "removed",
					    "dead", "expired", "expired_leases", "rescheduled"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(counter, names[i]))
			return true;
	return false;
}

int idle_add(struct idle *pass, struct queue *q, struct call *begun, struct err *e)
{
	struct queue_counts c;
	const char *name, *value;
	struct err odd;
	int64_t n;
	int status = queue_stat_end(begun, q, &c, e);

	for (size_t i = 0; i < c.counters; i++) {
		queue_counter(&c, i, &name, &value);
		if (leaves(name) && num_parse(value, 0, COUNTER_MAX, "", &n, &odd) == 0)
			pass->left += n;
	}
	if (c.due + c.ready + c.leased + (pass->delayed ? c.delayed - c.held : 0) > 0)
		pass->busy = true;
	pass->shards += q->shards;
	queue_counts_free(&c);
	return status;
}

/* proves: do two passes without work prove that all were so in between? One shard is read at one
 * time. */
static bool proves(const struct idle *before, const struct idle *pass)
{
	return pass->shards == 1 || (!before->busy && before->shards == pass->shards &&
				     before->left == pass->left);
}

int idle_all(bool delayed, int (*read)(void *ctx, struct idle *pass), void *ctx)
{
	struct idle before = {.busy = true};

	for (int i = 0; i < PASSES; i++) {
		struct idle pass = {.delayed = delayed};
		if (read(ctx, &pass) < 0)
			return -1;
		if (pass.busy)
			return 0;
		if (proves(&before, &pass))
			return 1;
		before = pass;
	}
	return 0;
}
