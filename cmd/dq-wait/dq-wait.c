/* dq-wait: waits until messages have ended, or queues are empty. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "hints.h"
#include "message/members.h"
#include "options.h"
#include "queue/idle.h"
#include "queue/queue_set.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "tool/args.h"
#include "tool/die.h"
#include "tool/out.h"
#include "tool/stop.h"

enum { WAIT_FORGOTTEN = 66, WAIT_LATE = 124 };

/* Hints (hints.h) wake it at once. It also asks by itself: seldom, if each end gives a hint; else
 * again after a tenth of the time for which it waits, within these limits, because what has run for
 * long may be noticed later. Up to a fifth is added, so that many do not ask together. */
#define SELDOM 8000 /* ms */
#define LEAST 1000
#define MOST 5000
#define GRACE 900  /* ms, behind -w, for the last replies */

struct waiting {
	struct options options;
	struct exchange x;
	struct hints hints;
	int64_t opening; /* ms, for the first connection */
	int64_t at;      /* clock_ms: ask for all */
	int64_t until;   /* clock_ms: the end of -w */
	struct queue_set queues;
	struct idle *pass; /* with --empty */
	struct wanted *wanted;
	size_t count, room;
	size_t ended;
	struct buf line;
	bool terminal; /* standard output is one */
	int status; /* the greatest of DQ_NO and WAIT_FORGOTTEN so far, or a failure */
};

static void note(struct waiting *w, int status)
{
	if (status > w->status)
		w->status = status;
}

/* --- what has ended --- */

static int add_text(struct waiting *w, const struct wanted *m, const char *what,
		    const struct outcome *o)
{
	if (buf_format(&w->line, "%s/%s\t%s\t", m->name.queue, m->name.id, what) < 0 ||
	    (o && o->len && (w->terminal ? text_line : text_tsv)(&w->line, o->text, o->len) < 0))
		return -1;
	return buf_char(&w->line, '\n');
}

static int add_json(struct waiting *w, const struct wanted *m, const char *what,
		    const struct outcome *o)
{
	if (buf_format(&w->line, "{\"name\":\"%s/%s\",", m->name.queue, m->name.id) < 0 ||
	    members_id(&w->line, m->name.queue, m->name.id) < 0 ||
	    (o ? outcome_members(&w->line, o) :
		 buf_format(&w->line, ",\"outcome\":\"%s\"", what)) < 0)
		return -1;
	return buf_text(&w->line, "}\n");
}

/* print writes at once: the reader may wait for it. */
static int print(struct waiting *w, const struct wanted *m, const char *what,
		 const struct outcome *o)
{
	struct err e;

	if (w->options.quiet)
		return 0;
	w->line.len = 0;
	if ((w->options.json ? add_json : add_text)(w, m, what, o) < 0)
		die(DQ_TEMPORARY, "out of memory");
	if (out_write(w->line.bytes, w->line.len, &e) == 0)
		return 0;
	note(w, (int)out_failed(&e));
	return -1;
}

static void say(const struct waiting *w, const struct wanted *m, const char *what)
{
	if (!w->options.quiet)
		warn("%s/%s: %s", m->name.queue, m->name.id, what);
}

/* on_end: with --any only the first one counts. */
static int on_end(void *ctx, const struct wanted *m, enum ending how, const struct outcome *o)
{
	struct waiting *w = ctx;

	if (w->options.any && w->ended > 0)
		return 0;
	w->ended++;
	switch (how) {
	case ENDING_OUTCOME:
		note(w, strcmp(o->what, "done") != 0 ? DQ_NO : DQ_DONE);
		return print(w, m, o->what, o);
	case ENDING_GONE:
		say(w, m, "is gone, and its outcome was not kept (dq-put --keep)");
		return print(w, m, "gone", NULL);
	case ENDING_LOST:
		note(w, WAIT_FORGOTTEN);
		say(w, m, "is gone, and left no outcome");
		return 0;
	case ENDING_UNKNOWN:
		break;
	}
	note(w, WAIT_FORGOTTEN);
	say(w, m, "no such message, and no outcome");
	return 0;
}

/* failed: of that queue, or message. */
static int failed(struct waiting *w, const char *queue, const char *id, const struct err *e)
{
	if (e->status == DQ_REPORTED)
		return -1;
	note(w, (int)e->status);
	if (e->status != DQ_STOPPED)
		warn("%s%s%s: %s", queue, id ? "/" : "", id ? id : "", e->text);
	return -1;
}

/* lengthen: all are asked for, however many there are, if Redis replies in time to each part. */
static void lengthen(struct waiting *w)
{
	int64_t now = clock_ms();

	if (w->options.wait >= 0)
		w->x.conf->wait.until = (now > w->until ? now : w->until) + GRACE;
}

/* ask_messages, or only those that are hinted: 1 if that is all, 0 if others have not ended; -1: it
 * has failed, and reported that. */
static int ask_messages(struct waiting *w, bool hinted)
{
	struct err e;
	const struct wanted *at = NULL;
	size_t count;
	const size_t *some = hints_take(&w->hints, &count);

	if (!hinted) {
		some = NULL;
		count = w->count;
	}
	for (size_t i = 0; i < count; i += ASK_TOGETHER) {
		lengthen(w);
		if (ask_each(w->wanted, some, i, count, on_end, w, &at, &e) < 0)
			return failed(w, at->name.queue, at->name.id, &e);
	}
	return w->ended == w->count || (w->options.any && w->ended > 0);
}

/* look: less than 0 ends the pass. */
static int look(void *ctx, struct queue *q)
{
	struct waiting *w = ctx;
	struct err e;

	lengthen(w);
	if (idle_add(w->pass, q, w->queues.begun, &e) < 0)
		return failed(w, q->name, NULL, &e);
	return w->pass->busy ? -1 : 0;
}

static int look_at_all(void *ctx, struct idle *pass)
{
	struct waiting *w = ctx;
	struct err e;

	w->pass = pass;
	if (queue_set_each(&w->queues, w->options.words, look, w, &e) < 0 && !pass->busy)
		return failed(w, w->options.words[0], NULL, &e);
	return 0;
}

/* ask_queues likewise. */
static int ask_queues(struct waiting *w)
{
	return idle_all(w->options.all, look_at_all, w);
}

/* --- waiting --- */

static void late(struct waiting *w)
{
	size_t left = w->count - w->ended;

	note(w, WAIT_LATE);
	if (!w->options.quiet && !w->options.empty)
		warn("the time is over: %zu of %zu message%s %s not ended", left, w->count,
		     w->count == 1 ? "" : "s", left == 1 ? "has" : "have");
	else if (!w->options.quiet)
		warn("the time is over");
}

static int64_t next_time(const struct waiting *w, int64_t began)
{
	int64_t now = clock_ms(), gap = (now - began) / 10;

	gap = gap < LEAST ? LEAST : gap > MOST ? MOST : gap;
	if (!w->options.empty && hints_complete(&w->hints))
		gap = SELDOM;
	return now + gap + clock_us() % (gap / 5);
}

/* rest waits until it is time to ask. 1: only for the messages that are hinted. 0: for all.
 * -1: stopped. hinted: the last question was only for some: then all others are subscribed to,
 * unless a subscription is over. */
static int rest(struct waiting *w, int64_t began, bool hinted)
{
	const struct wait *wait = &w->x.conf->wait;
	struct err e;
	int got = w->options.empty || (hinted && !w->hints.over) ? 0 :
								   hints_up(&w->hints, wait, &e);

	if (got > 0)
		return 0;
	if (got == 0 && !hinted)
		w->at = clock_sooner(next_time(w, began), w->until);
	if (got == 0)
		got = hints_wait(&w->hints, w->at, wait->stop_fd, &e);
	if (got < 0)
		note(w, (int)e.status);
	return got > 0 ? clock_ms() < w->at : got;
}

static void wait_for_all(struct waiting *w)
{
	int64_t began = clock_ms();
	int all, hinted = 0;

	w->until = w->options.wait < 0 ? INT64_MAX : began + w->options.wait - w->opening;
	for (;;) {
		all = w->options.empty ? ask_queues(w) : ask_messages(w, hinted);
		if (all != 0 || clock_ms() >= w->until)
			break;
		hinted = rest(w, began, hinted);
		if (hinted < 0)
			return;
	}
	if (all == 0)
		late(w);
}

/* --- names --- */

static int add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct waiting *w = ctx;
	struct wanted *m;
	struct err e;

	if (w->count == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		struct wanted *more = realloc(w->wanted, room * sizeof *more);
		if (!more)
			die(DQ_TEMPORARY, "out of memory");
		w->wanted = more;
		w->room = room;
	}
	m = &w->wanted[w->count];
	*m = (struct wanted){.there = false};
	if (name_parse(word, len, NAME_MESSAGE, &m->name, &e) < 0) {
		warn("%s", e.text);
		note(w, (int)bad);
		return 0;
	}
	m->queue = queue_set_find(&w->queues, m->name.queue);
	if (!m->queue)
		die(DQ_TEMPORARY, "out of memory");
	w->count++;
	return 0;
}

static void read_names(struct waiting *w)
{
	const struct args args = {.each = add, .ctx = w, .words = w->options.quiet ? NULL : "names",
				  .stop_fd = w->x.conf->wait.stop_fd};

	note(w, (int)args_each(&args, w->options.words));
	if (w->count > 0 || w->status != DQ_DONE || w->options.allow_empty || stop_signal())
		return;
	warn("no name: standard input is empty (--allow-empty)");
	note(w, DQ_DATA);
}

/* connect_for: the time for the first connection is a part of -w, or of the grace behind it. */
static void connect_for(struct waiting *w)
{
	int64_t began = clock_ms(), wait = w->options.wait, most = wait > GRACE ? wait : GRACE;

	opt_prepare(&w->options.common, &w->x, opt_caught(stop_catch()));
	if (wait >= 0 && w->x.conf->retry_for > most)
		w->x.conf->retry_for = most;
	if (wait >= 0 && w->x.conf->connect_timeout > wait + GRACE)
		w->x.conf->connect_timeout = wait + GRACE;
	opt_open(&w->x);
	w->opening = clock_ms() - began;
}

int main(int argc, char **argv)
{
	struct waiting w = {.terminal = isatty(STDOUT_FILENO), .status = DQ_DONE};

	options_read(&w.options, argc, argv);
	connect_for(&w);
	queue_set_init(&w.queues, &w.x, w.options.common.prefix);
	w.queues.begin = queue_stat_begin;
	w.queues.begins_named = true;
	if (!w.options.empty)
		read_names(&w);
	if (hints_init(&w.hints, &w.x, w.wanted, w.count) < 0)
		die(DQ_TEMPORARY, "out of memory");
	if (!stop_signal())
		wait_for_all(&w);
	hints_free(&w.hints);
	free(w.wanted);
	buf_free(&w.line);
	queue_set_free(&w.queues);
	exchange_close(&w.x);
	finish(w.status);
}
