#include "pace.h"

#include <limits.h>

#include "base/clock.h"

/* At most so many messages, and about so many bytes, in a call. */
enum { MOST = 64, MOST_BYTES = 16384 };

void pace_read(struct pace *p, int n, int64_t now)
{
	int64_t took = now - p->read_at;

	p->soon = took > 0 ? (int)clock_sooner((int64_t)n * PACE_SOON_US / took, INT_MAX) : INT_MAX;
	p->read_at = now;
}

void pace_waited(struct pace *p, int64_t us)
{
	p->read_at += us;
}

void pace_next(struct pace *p, bool more, size_t each)
{
	int64_t most = each * MOST > MOST_BYTES ? (int64_t)(MOST_BYTES / each) : MOST;

	if (!p->varies)
		return;
	most = clock_sooner(clock_sooner(most, p->soon), (int64_t)p->count * 2);
	p->count = more && most > 1 ? (int)most : 1;
}
