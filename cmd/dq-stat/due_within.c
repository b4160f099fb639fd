#include "due_within.h"

#include <hiredis.h>
#include <stdio.h>

#include "redis/exchange.h"

#define BOUND_TEXT 24
#define MINUTE INT64_C(60000)

/* Upper bound of each count, ms from now. One more count has the messages that are due later. */
static const int64_t upper[DUE_BOUNDS] = {MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE,
					  360 * MINUTE, 1440 * MINUTE, 10080 * MINUTE};

#define CALLS (DUE_BOUNDS + 1)

struct asked {
	struct call call[CALLS];
	char from[CALLS][BOUND_TEXT], below[CALLS][BOUND_TEXT];
};

/* bounds: scores have fractions of a ms, so each bound is the next whole ms,
 * exclusive (lua/lib/scores.lua, up_to). */
static void bounds(struct asked *a, int64_t now)
{
	long long from = now + 1;

	for (int i = 0; i < CALLS; i++) {
		long long below = i < DUE_BOUNDS ? now + 1 + upper[i] : 0;
		snprintf(a->from[i], BOUND_TEXT, "%lld", from);
		snprintf(a->below[i], BOUND_TEXT, "(%lld", below);
		from = below;
	}
	snprintf(a->below[DUE_BOUNDS], BOUND_TEXT, "+inf");
}

int due_within_add(const struct queue *q, int64_t now, int64_t counts[DUE_BOUNDS + 1],
		   struct err *e)
{
	struct asked a = {.from = {""}};
	int status = 0;

	bounds(&a, now);
	for (int i = 0; i < CALLS; i++) {
		call_read(&a.call[i], "ZCOUNT");
		call_key(&a.call[i], q->keys.key[PART_DELAYED], q->keys.len[PART_DELAYED]);
		call_text(&a.call[i], a.from[i]);
		call_text(&a.call[i], a.below[i]);
		exchange_add(q->x, &a.call[i], NULL);
	}
	for (int i = 0; i < CALLS; i++) {
		if (status == 0)
			status = exchange_wait(&a.call[i], NULL, e);
		if (status == 0 && a.call[i].reply->type == REDIS_REPLY_INTEGER)
			counts[i] += a.call[i].reply->integer;
		call_free(&a.call[i]);
	}
	return status;
}
