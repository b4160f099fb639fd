#include "redis/session.h"

#include "base/clock.h"
#include "redis/greet.h"
#include "redis/place.h"
#include "redis/sock.h"

#define PAUSE_MIN 20 /* ms between attempts to open a lost connection */
#define PAUSE_MAX 2000

static int open_once(struct session *s, const struct wait *wait, struct err *e)
{
	struct conn *c = s->conn;

	c->unauthorized = c->looks_up = false;
	return place_has_choice(&c->conf.url) ? place_open(c, &s->place, wait, e) :
						greet_open(c, GREET_ANY, wait, e);
}

/* is_password_another: an operator who rotates passwords changes the file, too. */
static bool is_password_another(struct conn *c, const struct err *e)
{
	return c->unauthorized && e->status != DQ_STOPPED && c->conf.password_again &&
	       c->conf.password_again(&c->conf.url);
}

int session_open(struct session *s, const struct wait *wait, struct err *e)
{
	struct conn *c = s->conn;
	int64_t now = clock_ms();
	struct wait w = wait ? *wait : c->conf.wait;
	int status;

	w.timeout = c->conf.connect_timeout;
	w.until = wait_deadline(&w, now); /* for the whole greeting */
	w.timeout = w.until - now;
	status = open_once(s, &w, e);
	if (status < 0 && is_password_another(c, e))
		status = open_once(s, &w, e);
	c->greeted = status == 0;
	c->opened_at = status == 0 ? clock_ms() : 0;
	c->looks_up = c->looks_up && status < 0; /* another host may have been right */
	return status;
}

/* --- reconnecting --- */

void session_say(struct session *s, enum session_event event, const char *object,
		 const struct err *e)
{
	if (s->report && (!(s->quiet || s->told) || event == SESSION_OVER))
		s->report(s, event, object, e);
}

bool session_lasts(const struct conn *c)
{
	return c->opened_at && clock_ms() - c->opened_at >= SESSION_LASTS;
}

/* set_pause: a server that answers and closes must not be asked without a pause, either. */
static void set_pause(struct session *s)
{
	struct conn *c = s->conn;

	if (session_lasts(c)) {
		s->pause = s->kept = 0;
	} else if (c->opened_at && !s->pause) {
		s->pause = s->kept;
		s->unsteady = s->unsteady || s->kept > 0;
	}
	c->opened_at = 0;
}

void session_lost(struct session *s, const char *object, const struct err *e)
{
	bool is_new;

	set_pause(s);
	conn_close(s->conn);
	s->conn->known = 0; /* another server may reply next */
	/* handle the signal first; or nothing is wrong yet */
	if (e->status == DQ_STOPPED || s->conn->looks_up) {
		s->retry_at = clock_ms() + PAUSE_MIN;
		return;
	}
	is_new = reasons_add(&s->reasons, e);
	s->retry_at = clock_ms() + s->pause;
	s->pause = clock_backoff(s->pause, PAUSE_MIN, PAUSE_MAX);
	if (err_passes(e) && is_new)
		session_say(s, SESSION_LOST, object, e);
	if (err_passes(e))
		return;
	if (s->status == DQ_DONE)
		session_say(s, SESSION_OVER, object, e);
	s->status = s->status > e->status ? s->status : e->status;
}

int session_up(struct session *s, const struct wait *wait, struct err *e)
{
	if (s->conn->redis)
		return 1;
	if (clock_ms() < s->retry_at)
		return 0;
	if (session_open(s, wait, e) == 0)
		return 1;
	session_lost(s, NULL, e);
	return err_passes(e) ? 0 : -1;
}

int session_insist(struct session *s, const struct wait *wait, struct err *e)
{
	struct wait opening = {.timeout = wait->timeout, .stop_fd = wait->stop_fd};
	int up;

	if (wait->until && clock_ms() >= wait->until)
		return -1;
	for (;;) {
		if (wait->until) /* a try gets what is left */
			opening.until = clock_later(wait->until, clock_ms() + SESSION_LEAST);
		if ((up = session_up(s, &opening, e)) != 0)
			break;
		if (wait->until && clock_ms() >= wait->until)
			return -1;
		if (wait->until)
			s->retry_at = clock_sooner(s->retry_at, wait->until);
		if (sock_wait(-1, 0, s->retry_at, wait->stop_fd, e) < 0)
			return -1;
	}
	return up < 0 ? -1 : 0;
}

int session_again(struct session *s, const struct wait *wait, struct err *e)
{
	struct err last = *e;

	if (session_insist(s, wait ? wait : &s->conn->conf.wait, &last) == 0)
		return 0;
	if (!err_passes(&last))
		*e = last;
	return -1;
}

void session_answered(struct session *s)
{
	const struct err none = {.status = DQ_DONE};
	bool was_lost = s->pause || s->unsteady;

	if (s->pause)
		s->kept = s->pause;
	s->pause = 0;
	if (s->unsteady && !session_lasts(s->conn))
		return;
	if (was_lost)
		session_say(s, SESSION_BACK, NULL, &none);
	s->told = s->unsteady = false;
	s->reasons.count = 0;
}
