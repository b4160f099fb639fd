#include "tool/withheld.h"

#include <stdlib.h>

#include "base/time.h"
#include "tool/diag.h"

static void say_paused(const char *name, int64_t until)
{
	char end[TIME_TEXT];

	if (until < 0) {
		warn("%s: paused: nothing is taken until it is resumed (dq-set %s paused=no)", name,
		     name);
		return;
	}
	time_format(until, end);
	warn("%s: paused: nothing is taken until %s (dq-set %s paused=no)", name, end, name);
}

/* is_new: was this reason not said of the queue yet? Without memory it is not said. */
static bool is_new(struct withheld *l, const struct rounds *r, int whole, enum limit_why why)
{
	unsigned char bit = (unsigned char)(1u << why);
	bool said;

	if (!l->said)
		l->said = calloc((size_t)r->count + 1, sizeof *l->said);
	said = !l->said || l->said[whole] & bit;
	if (!said)
		l->said[whole] |= bit;
	return !said;
}

static const char *const reasons[] = {
	[LIMIT_RATE] = "rate: ready messages wait until another delivery may begin",
	[LIMIT_LEASED] = "max-leased: ready messages wait until a delivery ends",
	[LIMIT_KEYS] = "keys: the keys of all ready messages are blocked"};

void withheld_paused(const struct rounds *r, int i, unsigned news, int64_t until)
{
	if (news & ROUNDS_PAUSED)
		say_paused(r->wholes[r->list.whole[i]]->name, until);
}

static void say_limited(const char *name, enum limit_why why)
{
	if (why == LIMIT_KEYS)
		warn("%s: limited by %s (dq-stat --keys %s shows why)", name, reasons[why], name);
	else
		warn("%s: limited by %s (dq-set %s shows the limit)", name, reasons[why], name);
}

void withheld_limited(struct withheld *l, const struct rounds *r)
{
	for (int i = 0; i < r->count; i++) {
		const struct rounds_queue *q = &r->queues[i];
		if (q->got == 0 && q->why && is_new(l, r, i, q->why))
			say_limited(r->wholes[i]->name, q->why);
	}
}

void withheld_free(struct withheld *l)
{
	free(l->said);
	l->said = NULL;
}
