#include "queue/idle.h"

#include <string.h>

#include "base/num.h"
#include "queue/stat.h"

#define COUNTER_MAX (INT64_C(1) << 53)

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

bool idle_proved(struct idle *before, const struct idle *pass)
{
	bool same = !before->busy && before->shards == pass->shards && before->left == pass->left;

	*before = *pass;
	return !pass->busy && (same || pass->shards == 1);
}
