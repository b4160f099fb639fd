#include "live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/name.h"
#include "polling.h"
#include "../table/overview.h"
#include "redis/nodes.h"
#include "redis/replica.h"
#include "redis/url_text.h"
#include "../term.h"
#include "ticker.h"
#include "tool/die.h"
#include "tool/reconnect.h"
#include "tool/out.h"
#include "tool/stop.h"
#include "tty.h"

#define ROUND 100 /* ms */

struct watcher {
	struct exchange *x;
	const struct live *l;
	struct view view;
	char server[URL_TEXT];
	/* of a message about a lost connection: the first queue, or the list of all */
	char object[NAME_KEY_MAX];
	bool asked;             /* the server's name is known */
	int64_t at;             /* clock_ms of the next poll */
	bool over;              /* the user pressed q, or the terminal is gone */
	enum status status;
};

/* note puts the error on the screen: standard error has no room on a terminal in use. */
static void note(struct watcher *w, const struct err *e)
{
	bool again = w->x->session->status == DQ_DONE;

	snprintf(w->view.trouble, sizeof w->view.trouble, "%.200s%s", e->text,
		 again ? ": connecting again" : "");
}

static int ask(struct watcher *w, struct err *e)
{
	struct exchange *x = w->x;

	if (!w->asked) /* perhaps another server */
		url_shown(&x->conf->url, w->server);
	if (!w->asked && poll_server(&w->view, x, e) < 0)
		return -1;
	w->asked = true;
	if (replica_ask(&x->nodes, e) < 0 || poll_queues(&w->view, w->l->all, w->l->names, e) < 0)
		return -1;
	if (replica_stale(&x->nodes))
		return err_set(e, DQ_TEMPORARY, "%s", replica_stale(&x->nodes));
	return w->view.height ? poll_due_times(&w->view, w->l->all, e) : 0;
}

/* poll_all polls the queues. The server worked on that for at most the time that it took; so after
 * a long poll the next one is later. True: there are new numbers. */
static bool poll_all(struct watcher *w)
{
	int64_t started = clock_ms(), took;
	struct err e = {.status = DQ_DONE};
	bool up = session_up(w->x->session, NULL, &e) > 0;

	if (up && ask(w, &e) < 0) {
		nodes_lost(&w->x->nodes, w->object, &e);
		up = false;
	}
	if (!up) {
		w->asked = false;
		w->at = nodes_retry_at(&w->x->nodes);
		if (e.status != DQ_DONE && e.status != DQ_STOPPED)
			note(w, &e);
		return false;
	}
	session_answered(w->x->session);
	took = clock_ms() - started;
	w->view.every = took * LIVE_SHARE > w->l->every ?
				(took * LIVE_SHARE + ROUND - 1) / ROUND * ROUND :
				w->l->every;
	w->at = started + w->view.every;
	return true;
}

static bool is_over(const struct watcher *w)
{
	return w->over || stop_signal() || w->x->session->status != DQ_DONE || w->status != DQ_DONE;
}

static void write_out(struct watcher *w, const struct buf *text)
{
	struct err e;

	if (out_write(text->bytes, text->len, &e) == 0)
		return;
	w->over = true;
	if (e.status != DQ_STOPPED) {
		tty_close();
		w->status = out_failed(&e);
	}
}

static void out_of_memory(struct watcher *w)
{
	tty_close();
	warn("out of memory");
	w->status = DQ_TEMPORARY;
}

/* --- a terminal --- */

static void draw(struct watcher *w)
{
	struct buf out = {NULL, 0, 0};
	struct canvas c = {.out = &out, .colour = term_colour(), .blocks = canvas_blocks()};

	term_size(&w->view.columns, &w->view.height);
	view_arrange(&w->view);
	view_draw(&w->view, &c);
	if (c.failed)
		out_of_memory(w);
	else
		write_out(w, &out);
	buf_free(&out);
}

static void press(struct watcher *w, int key)
{
	struct view *v = &w->view;

	if (key == 'q' || key == TTY_GONE)
		w->over = true;
	else if (key == 's')
		v->order = (v->order + 1) % ORDERS;
	else if (key == 'a')
		v->idle = !v->idle;
	else if (key == ' ')
		v->stopped = !v->stopped;
	else if (key == TTY_DOWN || key == 'j')
		view_move(v, 1);
	else if (key == TTY_UP || key == 'k')
		view_move(v, -1);
	else if (key == TTY_BACK)
		v->one = false;
	else if (key == TTY_ENTER) {
		if (!view_selected(v))
			view_move(v, 0);
		v->one = !v->one;
	} else {
		return;
	}
	if (key == 's' || key == 'a' || key == TTY_ENTER || key == TTY_BACK)
		memset(v->due, 0, sizeof v->due); /* the screen shows other queues now */
	if (!v->stopped && key != TTY_DOWN && key != 'j' && key != TTY_UP && key != 'k')
		w->at = 0;
}

/* wait_for sleeps until the next poll, a key, or a signal. True: draw the screen again. */
static bool wait_for(struct watcher *w)
{
	struct pollfd p[3] = {
		{.fd = stop_fd(), .events = POLLIN},
		{.fd = tty_fd(), .events = POLLIN},
		{.fd = tty_keys(), .events = POLLIN},
	};
	bool anew = false;
	int key;

	if (clock_poll(p, 3, w->view.stopped ? -1 : w->at * 1000) < 0 && errno != EINTR)
		w->over = true;
	if (p[1].revents)
		anew = tty_signals();
	while (!w->over && p[2].revents && (key = tty_key()) != TTY_NONE) {
		press(w, key);
		anew = true;
	}
	return anew;
}

static enum status show(struct watcher *w)
{
	if (tty_open() < 0)
		die(DQ_IO, "terminal: %s", strerror(errno));
	term_size(&w->view.columns, &w->view.height);
	while (!is_over(w)) {
		bool due = !w->view.stopped && clock_ms() >= w->at;
		if (due)
			poll_all(w);
		if (!is_over(w))
			draw(w);
		while (!is_over(w) && !wait_for(w) && (w->view.stopped || clock_ms() < w->at))
			;
	}
	tty_close();
	if (w->x->session->status != DQ_DONE)
		warn("%s", w->view.trouble);
	return worse(w->status, w->x->session->status);
}

/* --- lines --- */

/* say_trouble reports why a queue is not shown, once until that changes. */
static void say_trouble(const struct view *v, char said[VIEW_TROUBLE])
{
	if (v->trouble[0] && strcmp(v->trouble, said) != 0)
		warn("%s", v->trouble);
	memcpy(said, v->trouble, VIEW_TROUBLE);
}

static enum status print(struct watcher *w)
{
	struct ticker ticker = {.lines = 0};
	char said[VIEW_TROUBLE] = "";

	w->x->session->report = reconnect_report;
	while (!is_over(w)) {
		struct pollfd p = {.fd = stop_fd(), .events = POLLIN};
		struct buf out = {NULL, 0, 0};
		if (poll_all(w)) {
			say_trouble(&w->view, said);
			if (ticker_line(&ticker, &w->view, &out) < 0)
				out_of_memory(w);
			else
				write_out(w, &out);
		}
		buf_free(&out);
		while (!is_over(w) && clock_ms() < w->at)
			if (clock_poll(&p, 1, w->at * 1000) < 0 && errno != EINTR)
				w->over = true;
	}
	return worse(w->status, w->x->session->status);
}

enum status live_run(const struct live *l)
{
	struct watcher w = {.x = l->all->x, .l = l, .status = DQ_DONE};
	enum status status;

	w.x->tool_repeats = true;
	w.x->nodes.moving = MOVING_FAILS;
	url_shown(&w.x->conf->url, w.server);
	if (l->names[0])
		snprintf(w.object, sizeof w.object, "%s", l->names[0]);
	else
		name_registry(l->all->prefix, w.object);
	w.view.server = w.server;
	w.view.idle = l->idle;
	w.view.every = l->every;
	status = l->terminal && !term_dumb() ? show(&w) : print(&w);
	rows_free(&w.view.rows);
	history_free(&w.view.history);
	return status;
}
