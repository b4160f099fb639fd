/* client: a waiter in the model of waiting (waiting.c), and all that it does by itself. */
#ifndef DQ_MODEL_CLIENT_H
#define DQ_MODEL_CLIENT_H

#include "server.h"

enum step {
	PUT, TICK, TAKE, TOLD, HEAR, TIME_COMES, BZPOPMIN, TIME_OUT, UNBLOCK, RESTED, MARK_R,
	MARK_T, MARK_U, RETURNED, WORKED, ACKED, KILL, TERM, CUT_WAIT, CUT_SCRIPT, CUT_ANSWER,
	START, GIVE_UP, PAUSE, RESUME, POSTPONE, SUSPEND, RAISE, REMOVE, KEY_PAUSE, KEY_RESUME
};

static u8 waiter_held(const struct waiter *w, int i)
{
	if (!keeps_time(w, i))
		return NONE;
	return w->doubt == SURE ? w->held : ASK;
}

static void marks_release(struct waiter *w, bool found, u8 now)
{
	w->ready = 0;
	if (w->spare <= now)
		w->spare = NONE;
	if (found && w->doubt != SURE)
		return;
	if (found || w->doubt != SURE || w->held <= now || bugs & HERD)
		w->held = NONE;
	w->doubt = SURE;
}

static void marks_hold(struct waiter *w)
{
	if (w->mark == READY)
		w->ready = 1;
	if (w->mark == TIME) {
		w->held = bugs & HERD ? least(w->held, w->mark_at) : w->mark_at;
		w->doubt = SURE;
		if (w->spare != NONE && w->spare != w->held + GUARD)
			w->spare = NONE;
	}
	if (w->mark == SPARE)
		w->spare = w->mark_at;
	w->wait = NO_WAIT;
	w->mark = NIL;
	w->mark_at = 0;
}

/* waiter_lost: the connection for waiting is closed, and with it goes what it may have popped. */
static void waiter_lost(struct state *s, int i)
{
	struct waiter *w = &s->w[i];

	if (w->wait != NO_WAIT && keeps_time(w, i) && !(bugs & CUT))
		w->doubt = LOST;
	unqueue(s, i);
	w->wait = NO_WAIT;
	w->mark = NIL;
	w->mark_at = w->block_ends = 0;
}

static void waiter_open(struct state *s, int i)
{
	struct waiter *w = &s->w[i];

	if (w->wait != NO_WAIT)
		return;
	w->wait = SENT;
	w->listens = keeps_time(w, i);
	w->spare_too = w->listens && w->held == NONE && !(bugs & BARE);
	w->block_ends = (u8)(s->now + cap);
}

/* compare: clock_compare. The answer has been so many ticks on its way;
 * it was read when it was asked for. */
static void compare(struct waiter *w, int ticks_late)
{
	w->late = bugs & SLOW ? (u8)((ticks_late + 1) / 2) : 0;
}

static bool has_time(const struct waiter *w, u8 now)
{
	u8 at = least(w->held, w->spare);

	return at != NONE && at + w->late <= now;
}

/* in_vain: withdraw has no answer: it is not known what was popped. */
static void withdraw_fails(struct state *s, int i)
{
	waiter_lost(s, i);
	s->w[i].ready = takes(i);
	s->w[i].place = s->w[i].reopens ? LOOK : GIVE_BACK;
	s->w[i].reopens = 0;
	s->w[i].until = 0;
}

/* unblock: MULTI, a write, CLIENT UNBLOCK, EXEC. False: the server postpones it. */
static bool unblock(struct state *s, int i)
{
	if (s->paused && !(bugs & UNGATED))
		return false;
	for (int n = 0; n < 4; n++)
		command(s);
	if (s->w[i].wait == STANDS)
		answer(s, i, NIL, 0);
	if (s->w[i].wait == POSTPONED)
		s->worst = DEAD_SERVER;
	return true;
}

/* --- all that can happen next --- */

static void to(const struct state *s, enum step step, int who, int what)
{
	explore_add(s, (uint16_t)((int)step << 8 | who << 4 | what));
}

/* sleeps: waiter_sleep, waiter_read. */
static bool sleeps(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	if (w->wait == ANSWERED) {
		u8 mark = w->mark;
		marks_hold(w);
		if (w->held != NONE && w->spare != NONE)
			w->place = PASS;
		else if (mark == TIME || mark == SPARE)
			waiter_open(&s, i);
		else
			w->place = LOOK;
		to(&s, HEAR, i, mark);
		return true;
	}
	if (has_time(w, s.now)) {
		w->place = LOOK;
		to(&s, TIME_COMES, i, 0);
		return true;
	}
	return false;
}

/* rests: waiter_rest, withdraw. It sends CLIENT UNBLOCK, and again if that came before BZPOPMIN. */
static bool rests(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	if (w->place == REST || w->place == REOPEN) {
		w->reopens = w->place == REOPEN;
		if (!unblock(&s, i))
			return false;
		w->place = RESTING;
		w->until = (u8)(s.now + 2);
		to(&s, UNBLOCK, i, 0);
	} else if (w->wait == ANSWERED) {
		bool ready = w->mark == READY;
		marks_hold(w);
		w->place = !w->reopens                         ? GIVE_BACK :
			   ready                               ? LOOK :
			   w->held != NONE && w->spare != NONE ? PASS :
								 SLEEP;
		w->until = 0;
		if (w->place == SLEEP)
			waiter_open(&s, i);
		w->reopens = 0;
		to(&s, RESTED, i, 0);
	} else if ((w->wait == STANDS || w->wait == POSTPONED) && !(bugs & ONCE) &&
		   unblock(&s, i)) {
		to(&s, UNBLOCK, i, 0);
	} else if (w->until <= s.now) {
		withdraw_fails(&s, i);
		to(&s, GIVE_UP, i, 0);
	} else {
		return false;
	}
	return true;
}

/* passes: marks_pass. Whoever keeps the time does not keep its guard: both would go with it. */
static void passes(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	command(&s);
	mark_guard(&s, w->spare);
	w->spare = NONE;
	serve(&s);
	waiter_open(&s, i);
	w->place = SLEEP;
	to(&s, MARK_U, i, 0);
}

/* gives_back: marks_return. */
static void gives_back(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	if (w->ready) {
		command(&s);
		w->ready = 0;
		mark_ready(&s);
		serve(&s);
		to(&s, MARK_R, i, 0);
	} else if (w->held != NONE || w->doubt == LOST) {
		command(&s);
		mark_timer(&s, w->doubt == LOST ? ASK : w->held);
		w->held = NONE;
		if (w->doubt == LOST)
			w->doubt = SURE;
		serve(&s);
		to(&s, MARK_T, i, 0);
	} else if (w->spare != NONE) {
		command(&s);
		mark_guard(&s, w->spare);
		w->spare = NONE;
		serve(&s);
		to(&s, MARK_U, i, 0);
	} else if (w->leaving) {
		*w = (struct waiter){.place = GONE, .held = NONE, .spare = NONE, .message = NONE};
		to(&s, RETURNED, i, 0);
	} else {
		w->place = WORK;
		for (int worked = 0; worked < 2; worked++) {
			w->until = (u8)(s.now + worked);
			to(&s, RETURNED, i, worked);
		}
	}
}

/* keep_time: rounds_keep_time. True: from now on it waits for times, too, and looks once more. */
static bool keep_time(struct waiter *w, int i)
{
	if (!w->until_told || keeps_time(w, i) || bugs & DEAF)
		return false;
	w->keeps = 1;
	w->doubt = NEW;
	return true;
}

/* told: the answer to a look is there: waiter_called, and what follows in take_round of taker.c. */
static void told(struct state s, int i)
{
	struct waiter *w = &s.w[i];
	bool again;

	marks_release(w, w->message != NONE, s.now);
	again = keep_time(w, i);
	w->until_told = 0;
	if (w->message != NONE) {
		w->place = w->wait == NO_WAIT ? GIVE_BACK : REST;
	} else if (again) {
		w->place = LOOK;
	} else {
		waiter_open(&s, i);
		w->place = w->held == NONE && !w->spare_too && keeps_time(w, i) && !(bugs & BARE) ?
				   REOPEN :
				   SLEEP;
	}
	to(&s, TOLD, i, 0);
}

/* told_of_key: does the reply of a take say that a key is paused? Not if that is for good,
 * and all there is. */
static bool told_of_key(const struct state *s)
{
	u8 until;

	if (!s->key_paused)
		return false;
	return key_pause_end(s) != NONE || !is_ready(s) || (free_to_go(s) && allowed(s, &until));
}

static void looks(struct state s, int i)
{
	struct waiter *w = &s.w[i];
	int most = s.slow < slow ? 2 : 0; /* ticks that the answer is on its way */

	command(&s);
	w->message = look(&s, i, waiter_held(w, i));
	w->until_told = takes(i) && (rate || s.suspended > s.now || told_of_key(&s));
	serve(&s);
	w->place = LOOKED;
	compare(w, 0);
	to(&s, TAKE, i, 0);
	if (most) {
		s.slow++;
		w->place = ANSWER;
		w->until = (u8)(s.now + most);
		to(&s, TAKE, i, most);
	}
}

static void acks(struct state s, int i)
{
	struct waiter *w = &s.w[i];
	struct message *m = &s.m[w->message];

	command(&s);
	if (m->owner == i)
		settle(&s, m);
	serve(&s);
	w->message = NONE;
	w->place = LOOK;
	to(&s, ACKED, i, 0);
}

/* acts: what a waiter does by itself, now. */
static bool acts(const struct state *s, int i)
{
	const struct waiter *w = &s->w[i];
	struct state n = *s;
	bool writes = w->place == LOOK || w->place == PASS || w->place == ACK ||
		      (w->place == GIVE_BACK &&
		       (w->ready || w->held != NONE || w->doubt == LOST || w->spare != NONE));

	if (s->paused && writes)
		return false;
	switch (w->place) {
	case LOOK:
		looks(*s, i);
		return true;
	case ANSWER:
		if (w->until > s->now)
			return false;
		n.w[i].until = 0;
		n.w[i].place = LOOKED;
		compare(&n.w[i], 2);
		to(&n, WORKED, i, 0);
		return true;
	case LOOKED:
		told(*s, i);
		return true;
	case SLEEP:
		return sleeps(*s, i);
	case PASS:
		passes(*s, i);
		return true;
	case REST:
	case REOPEN:
	case RESTING:
		return rests(*s, i);
	case GIVE_BACK:
		gives_back(*s, i);
		return true;
	case WORK:
		if (w->until > s->now)
			return false;
		n.w[i].until = 0;
		n.w[i].place = ACK;
		to(&n, WORKED, i, 0);
		return true;
	case ACK:
		acks(*s, i);
		return true;
	default:
		return false;
	}
}

#endif
