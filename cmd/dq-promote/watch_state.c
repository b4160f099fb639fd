#include "watch_state.h"

#include "base/clock.h"
#include "tool/stop.h"

int64_t watch_left(const struct watch *w)
{
	return w->limit < 0 ? QUEUE_BATCH : w->limit - w->promoted;
}

bool watch_is_over(const struct watch *w, int64_t until_us)
{
	return stop_signal() || watch_left(w) <= 0 || (until_us >= 0 && clock_us() >= until_us) || w->session.status != DQ_DONE;
}
