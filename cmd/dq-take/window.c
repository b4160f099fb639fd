#include "window.h"

#include "base/clock.h"

void window_heard(struct window *w, int64_t us)
{
	w->least = w->least ? clock_sooner(w->least, us) : us;
}

int window_size(const struct window *w)
{
	return (int)clock_sooner(1 + w->least / WINDOW_EACH_US, WINDOW_MAX);
}
