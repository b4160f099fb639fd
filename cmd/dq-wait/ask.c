#include "ask.h"

#include <string.h>

#include "message/header.h"
#include "message/listing.h"

struct asking {
	int (*each)(void *ctx, const struct wanted *w, enum ending how, const struct outcome *o);
	void *ctx;
	const struct wanted **at;
};

static int end(const struct asking *a, struct wanted *w, enum ending how, const struct outcome *o)
{
	w->ended = true;
	return a->each(a->ctx, w, how, o);
}

/* dead_outcome: a dead message is its own outcome. */
static struct outcome dead_outcome(const struct shown *s)
{
	return (struct outcome){.what = "dead", .tries = s->tries, .at = s->at, .text = s->reason,
				.len = s->reason_len};
}

/* judge decides what the reply means. An id that is reserved without an outcome was acked: only an
 * ack reserves it (--unique-for). */
static int judge(const struct asking *a, struct wanted *w, const struct shown *s)
{
	struct outcome o = s->outcome;
	struct header h;

	if (s->exists && strcmp(s->state, "dead") != 0) {
		header_read(&h, s->header, s->header_len);
		w->there = true;
		w->keeps = h.keep;
		return 0;
	}
	if (s->exists)
		o = dead_outcome(s);
	else if (!o.what && s->reserved_until >= 0)
		o = (struct outcome){.what = "done", .at = -1};
	if (o.what)
		return end(a, w, ENDING_OUTCOME, &o);
	return end(a, w, !w->there ? ENDING_UNKNOWN : w->keeps ? ENDING_LOST : ENDING_GONE, NULL);
}

/* ask_some asks for count of them, which have not ended, with one wait for all. */
static int ask_some(const struct asking *a, struct wanted **some, size_t count, struct err *e)
{
	static struct call calls[ASK_TOGETHER];
	struct shown shown;
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		/* a hint that comes from now on may be of what the reply does not show yet */
		some[i]->hinted = false;
		listing_show_begin(some[i]->queue, some[i]->name.id, &calls[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (status == 0) {
			*a->at = some[i];
			status = listing_show_end(some[i]->queue, some[i]->name.id, &calls[i],
						  &shown, e);
			if (status == 0 && judge(a, some[i], &shown) < 0)
				status = err_reported(e);
			listing_shown_free(&shown);
		}
		call_free(&calls[i]);
	}
	return status;
}

int ask_each(struct wanted *all, const size_t *some, size_t from, size_t count,
	     int (*each)(void *ctx, const struct wanted *w, enum ending how,
			 const struct outcome *o),
	     void *ctx, const struct wanted **at, struct err *e)
{
	struct wanted *together[ASK_TOGETHER];
	const struct asking a = {.each = each, .ctx = ctx, .at = at};
	size_t n = 0;

	for (size_t i = from; i < count && i < from + ASK_TOGETHER; i++) {
		struct wanted *w = &all[some ? some[i] : i];
		if (!w->ended)
			together[n++] = w;
	}
	return ask_some(&a, together, n, e);
}
