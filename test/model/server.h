/* server: the server in the model of waiting (waiting.c): its scripts, its marks, who waits for
 * which, and the limits of a queue. */
#ifndef DQ_MODEL_SERVER_H
#define DQ_MODEL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;

enum {
	WAITERS = 4, MESSAGES = 4, BEGUN = 3, NONE = 255, ASK = 254,
	GUARD = 1 /* ticks: half a second */
};
enum { FOR_GOOD = 250, DEAD_SERVER = 99, TOO_MANY = 88 /* worse than any ticks late */ };

enum place { /* of a waiter, named for what it does next */
	UNBORN, LOOK, ANSWER, LOOKED, SLEEP, PASS, REOPEN, REST, RESTING, GIVE_BACK, WORK, ACK, GONE
};
enum wait { NO_WAIT, SENT, STANDS, POSTPONED, ANSWERED };
enum mark { NIL, READY, TIME, SPARE };
enum doubt { SURE, NEW, LOST };
enum { UNBORN_MESSAGE, DELAYED, IS_READY, LEASED, SETTLED };

struct waiter {
	u8 place, wait, mark, mark_at; /* the open BZPOPMIN, and its answer */
	u8 block_ends;                 /* when the server ends it */
	u8 listens, spare_too;         /* it is for timer, for guard, too */
	u8 held, spare, ready, doubt;  /* struct marks */
	u8 keeps;                      /* the time, although it does not promote: it was told of
	                                * a limit (rounds_keep_time) */
	u8 reopens;                    /* the wait is taken back only to be opened anew */
	u8 until_told;                 /* the reply says until when nothing may be leased */
	u8 message, leaving, until, late; /* late: by how much its clock is */
};

struct message {
	u8 state, due, available, late, owner; /* due: or the end of the lease */
};

struct state {
	u8 now, armed, r, t, u;
	u8 doubts;                     /* times marked anew by doubt since it was armed */
	u8 begun[BEGUN];               /* when the last deliveries began, last first;
	                                * NONE: longer ago than counts */
	u8 suspended;                  /* until when the queue is paused */
	u8 key_paused;                 /* until when the key of message 0 is; 0: no such setting.
	                                * A script removes what is over */
	u8 tells;                      /* until when somebody may sleep who was not told of it */
	u8 raised;                     /* so much are places and rate higher than at first */
	u8 queue[WAITERS], blocked;    /* who waits, first come first */
	/* what went wrong, or was set, so far */
	u8 deaths, cuts, losses, terms, slow, pauses, suspends, holds, removes;
	u8 paused;                     /* writes */
	u8 worst, herd, commands;
	struct waiter w[WAITERS];
	struct message m[MESSAGES];
};

#include "explore.h"

enum bug {
	HERD = 1, CUT = 2, RESTART = 4, ONCE = 8, SLOW = 16, BARE = 32, SHY = 64, UNGATED = 128,
	FULL = 256, UNTIMED = 512, VAIN = 1024, EDGE = 2048, OFF_BY_ONE = 4096, DEAF = 8192,
	STUBBORN = 16384, SECRET = 32768, OVERSLEPT = 65536, MUTE = 131072
};

static int count, messages = 1, ticks = 7, cap = 5, lease, put_until = 2, put_delay = 2, bugs;
static int deaths, cuts, losses, terms, slow, pauses, settled, counting;
/* limits: so many leased, begun in so many ticks; 0: none */
static int places, rate, per = 2, suspends, holds, raises, removes;
static u8 kind[WAITERS];

static bool takes(int i) { return kind[i] != 'P'; }
static bool promotes(int i) { return kind[i] != 'N'; }
static u8 least(u8 a, u8 b) { return a < b ? a : b; }

static void command(struct state *s)
{
	if (counting && s->commands < 250)
		s->commands++;
}

static void unqueue(struct state *s, int i)
{
	for (int k = 0; k < s->blocked; k++) {
		if (s->queue[k] != i)
			continue;
		for (int j = k + 1; j < s->blocked; j++)
			s->queue[j - 1] = s->queue[j];
		s->queue[--s->blocked] = 0;
		return;
	}
}

static void answer(struct state *s, int i, u8 mark, u8 at)
{
	struct waiter *w = &s->w[i];

	unqueue(s, i);
	w->wait = ANSWERED;
	w->mark = mark;
	w->mark_at = at;
	w->block_ends = 0;
}

/* keeps_time: does it wait for the marks of timer and guard? */
static bool keeps_time(const struct waiter *w, int i)
{
	return promotes(i) || w->keeps;
}

/* pop: may that waiter have a mark? Those of wake come before those of timer,
 * and these before those of guard. */
static bool pop(struct state *s, int i)
{
	bool keeps = s->w[i].listens;

	if (takes(i) && s->r) {
		s->r = 0;
		answer(s, i, READY, 0);
	} else if (keeps && s->t != NONE) {
		u8 at = s->t;
		s->t = NONE;
		answer(s, i, TIME, at);
	} else if (keeps && s->w[i].spare_too && s->u != NONE) {
		u8 at = s->u;
		s->u = NONE;
		answer(s, i, SPARE, at);
	} else {
		return false;
	}
	return true;
}

/* serve: marks go to those who wait, first come first served; after each script. */
static void serve(struct state *s)
{
	for (int k = 0; k < s->blocked;)
		if (pop(s, s->queue[k]))
			k = 0;
		else
			k++;
}

/* --- limits: lua/lib/limits.lua --- */

static int leased(const struct state *s)
{
	int n = 0;

	for (int k = 0; k < messages; k++)
		n += s->m[k].state == LEASED;
	return n;
}

/* full: is the time of so many deliveries ago too near? */
static bool full(const struct state *s, int n, int width)
{
	return s->begun[n - 1] != NONE && s->begun[n - 1] + width > s->now;
}

/* allowed: may one be leased now? If not, *until is when it may (NONE: not known,
 * whatever frees a place calls wake). */
static bool allowed(const struct state *s, u8 *until)
{
	int most = places + s->raised + (bugs & OFF_BY_ONE ? 1 : 0), begin = rate + s->raised;

	*until = NONE;
	if (s->suspended > s->now) {
		*until = s->suspended;
		return false;
	}
	if (places && leased(s) >= most)
		return false;
	if (!rate || !full(s, begin, bugs & EDGE ? per - 1 : per))
		return true;
	*until = (u8)(s->begun[begin - 1] + per);
	return false;
}

/* free_to_go: is a message ready whose key is not paused? lua/lib/key_pause.lua */
static bool free_to_go(const struct state *s)
{
	for (int k = 0; k < messages; k++)
		if (s->m[k].state == IS_READY && (k > 0 || s->key_paused <= s->now))
			return true;
	return false;
}

/* key_pause_end: of one that ends by itself; NONE: there is none. */
static u8 key_pause_end(const struct state *s)
{
	if (s->key_paused && s->key_paused != FOR_GOOD && !(bugs & OVERSLEPT))
		return s->key_paused;
	return NONE;
}

static void end_key_pause(struct state *s)
{
	if (s->key_paused <= s->now)
		s->key_paused = 0;
}

/* begins: a delivery; and what must hold of all. */
static void begins(struct state *s)
{
	if (rate && full(s, rate + s->raised, per))
		s->worst = TOO_MANY;
	memmove(s->begun + 1, s->begun, BEGUN - 1);
	s->begun[0] = rate ? s->now : NONE;
	if (places && leased(s) > places + s->raised)
		s->worst = TOO_MANY;
}

/* --- marks: lua/lib/wake.lua --- */

static u8 next_move(const struct state *s)
{
	u8 at = key_pause_end(s);

	for (int k = 0; k < messages; k++)
		if (s->m[k].state == DELAYED || (s->m[k].state == LEASED && lease))
			at = least(at, s->m[k].due);
	return at;
}

static void wake_at(struct state *s, u8 at, u8 released)
{
	bool unheld = s->armed != NONE && (released == ASK || released == s->armed);

	if (bugs & HERD) { /* as it was: whatever time was released */
		unheld = released != NONE;
		if (released != NONE)
			s->armed = NONE;
	}
	if (at == NONE) {
		if (unheld)
			s->armed = NONE;
		return;
	}
	if (s->armed != NONE && s->armed > s->now && s->armed <= at && !unheld)
		return;
	s->doubts = s->armed == at ? (u8)(s->doubts + (released == ASK)) : 0;
	s->t = s->armed = at;
	s->u = bugs & BARE ? NONE : (u8)(at + GUARD);
}

static bool is_ready(const struct state *s)
{
	for (int k = 0; k < messages; k++)
		if (s->m[k].state == IS_READY)
			return true;
	return false;
}

/* of other moves that leave nothing to take, lua/lib/move.lua */
static bool ready_now(const struct state *s)
{
	u8 until;

	return free_to_go(s) && allowed(s, &until);
}

/* held_until: when what limits the queue ends, if that is known, and something is ready or the
 * queue is paused; else NONE. */
static u8 held_until(const struct state *s)
{
	u8 until;

	if (allowed(s, &until))
		return is_ready(s) && !free_to_go(s) ? key_pause_end(s) : NONE;
	return is_ready(s) || s->suspended > s->now ? until : NONE;
}

/* untold: does perhaps somebody who could keep the time of a limit sleep without knowing of it? */
static bool untold(const struct state *s)
{
	return s->tells > s->now && is_ready(s) && held_until(s) != NONE && !(bugs & SECRET);
}

/* wake: in_vain: of a take that got nothing, and so was told. */
static void wake(struct state *s, u8 released, bool in_vain)
{
	u8 at = next_move(s);
	bool more = ready_now(s);

	if (more && !(bugs & (BARE | SHY)))
		at = least(at, (u8)(s->now + GUARD));
	if (!(bugs & UNTIMED))
		at = least(at, held_until(s));
	s->r = more || (!in_vain && untold(s)) || (bugs & VAIN && is_ready(s));
	wake_at(s, at, released);
}

/* to_release: does the caller release with this look what it holds? A time that has come, or where
 * it turns to work; a doubt where not. */
static bool to_release(const struct state *s, u8 held, bool found)
{
	if (bugs & HERD)
		return true;
	return held == ASK ? !found : found || held <= s->now;
}

/* --- scripts --- */

/* look: lua/take.lua, lua/promote.lua. The message that it gave, or NONE.
 * Whoever keeps the time of the queue promotes. */
static u8 look(struct state *s, int i, u8 held)
{
	u8 found = NONE, until;

	bool promoting = promotes(i) || (held != NONE && held != ASK && !(bugs & STUBBORN));

	end_key_pause(s);
	for (int k = 0; k < messages && promoting; k++) {
		struct message *m = &s->m[k];
		if (m->due <= s->now && (m->state == DELAYED || (m->state == LEASED && lease))) {
			m->state = IS_READY;
			m->owner = NONE;
		}
	}
	for (int k = 0; k < messages && takes(i) && found == NONE && allowed(s, &until); k++) {
		struct message *m = &s->m[k];
		if (m->state != IS_READY || (k == 0 && s->key_paused > s->now))
			continue;
		found = (u8)k;
		*m = (struct message){.state = LEASED, .owner = (u8)i,
				      .due = lease ? (u8)(s->now + lease) : NONE};
		m->available = m->due;
		begins(s);
	}
	wake(s, to_release(s, held, found != NONE) ? held : NONE, takes(i) && found == NONE);
	return found;
}

/* settle: lua/ack.lua, and whatever else ends a lease and so frees a place. */
static void settle(struct state *s, struct message *m)
{
	*m = (struct message){.state = SETTLED, .owner = NONE};
	if (places && !(bugs & FULL))
		wake(s, NONE, false);
}

static void mark_ready(struct state *s) /* lua/mark.lua */
{
	s->r = s->r || ready_now(s) || untold(s);
}

static void mark_timer(struct state *s, u8 at) /* lua/mark.lua */
{
	if (bugs & HERD)
		s->t = least(s->t, at);
	else if (s->armed != NONE && (at == ASK || at == s->armed))
		s->t = s->armed;
	if (s->tells > s->now) /* perhaps only those are left who do not wait for it */
		mark_ready(s);
	if (at == ASK && s->armed != NONE && !(bugs & BARE))
		s->u = (u8)(s->armed + GUARD);
}

static void mark_guard(struct state *s, u8 at) /* lua/mark.lua */
{
	if (s->armed != NONE && s->armed + GUARD == at)
		s->u = at;
}

#endif
