#include "base/wait.h"

#include "base/clock.h"

int64_t wait_limit(const struct wait *w, int64_t deadline)
{
	int64_t nearer = w->meanwhile ? w->meanwhile->until : 0;

	return nearer && (deadline == -1 || nearer < deadline) ? nearer : deadline;
}

int64_t wait_deadline(const struct wait *w, int64_t now)
{
	int64_t deadline = now + w->timeout;

	return wait_limit(w, w->until ? clock_sooner(deadline, w->until) : deadline);
}

struct wait wait_brief(const struct wait *w, int64_t ms)
{
	struct wait brief = wait_firm(w, ms);

	brief.until = wait_deadline(&brief, clock_ms());
	return brief;
}

struct wait wait_firm(const struct wait *w, int64_t ms)
{
	return (struct wait){.timeout = clock_sooner(w->timeout, ms), .until = w->until,
			     .stop_fd = -1, .meanwhile = w->meanwhile};
}
