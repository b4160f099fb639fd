/* waiting: a model of how dq's tools wait for each other (dq-scripts(7), WAITING), explored whole: all orders in which a few waiters, the
 * server and what goes wrong can take turns around one or two messages.
 *
 *     waiting WAITERS [NAME=NUMBER...]     see main
 *
 * WAITERS is a letter each: T a taker or worker that promotes, N dq-take --no-promote, P dq-promote -f; lower case: it comes later, and
 * after all deaths, as one that is started again does. Time goes by ticks, and only when nothing else can happen: within a tick
 * everything that can happen happens, in every order. So a message is late by the ticks it could have been moved or taken in, while
 * somebody slept who could.
 *
 * What follows is written as the code is, part by part, and changes with it: server: lua/lib/wake.lua, lua/take.lua, lua/promote.lua,
 * lua/mark.lua (and, to the same effect, the usual passes: lua/lib/move.lua, lua/lib/marks.lua, lua/lib/nothing.lua,
 * lua/lib/next_in.lua), BZPOPMIN;
 * client: common/waiting/marks.c, common/waiting/waiter.c, common/waiting/block.c, common/waiting/rounds.c, and the loops of
 * cmd/dq-take/taker.c, cmd/dq-run/intake.c, cmd/dq-promote/watch.c.
 * Bugs that there once were, and the lack of a guard (BARE: for any, SHY: for what is ready), are kept behind flags (bug=...), and
 * test/model/run holds that each is still found.
 *
 * A pause of writes (CLIENT PAUSE, a planned failover) begins and ends at any time. Meanwhile no script runs, and the server postpones each
 * BZPOPMIN that arrives, and the transaction with CLIENT UNBLOCK. CLIENT UNBLOCK for a postponed BZPOPMIN is the death of the server. */
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;

enum { WAITERS = 4, MESSAGES = 4, NONE = 255, ASK = 254, DEAD_SERVER = 99 /* ticks late */, GUARD = 1 /* ticks: half a second */ };

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
	u8 spare_too;                  /* it is for guard, too */
	u8 held, spare, ready, doubt;  /* struct marks */
	u8 reopens;                    /* the wait is taken back only to be opened anew */
	u8 message, leaving, until, late; /* late: by how much its clock is */
};

struct message {
	u8 state, due, available, late, owner; /* due: or the end of the lease */
};

struct state {
	u8 now, armed, r, t, u;
	u8 queue[WAITERS], blocked;    /* who waits, first come first */
	u8 doubts;                     /* times marked anew by doubt since it was armed */
	u8 deaths, cuts, losses, terms, slow, pauses; /* what has gone wrong so far */
	u8 paused;
	u8 worst, herd, commands;
	struct waiter w[WAITERS];
	struct message m[MESSAGES];
};

#include "explore.h"

enum bug { HERD = 1, CUT = 2, RESTART = 4, ONCE = 8, SLOW = 16, BARE = 32, SHY = 64, UNGATED = 128 };
enum step {
	PUT, TICK, TAKE, TOLD, HEAR, TIME_COMES, BZPOPMIN, TIME_OUT, UNBLOCK, RESTED, MARK_R, MARK_T, MARK_U, RETURNED, WORKED, ACKED,
	KILL, TERM, CUT_WAIT, CUT_SCRIPT, CUT_ANSWER, START, GIVE_UP, PAUSE, RESUME, POSTPONE
};
static const char *const step_text[] = {
	"put", "", "take", "is told", "hears", "its time comes", "BZPOPMIN", "time-out", "CLIENT UNBLOCK", "is unblocked", "mark wake",
	"mark timer", "mark guard", "turns to work", "has worked", "ack", "is killed", "is ended", "loses the wait",
	"loses the script, not run", "loses the answer of the script", "starts", "gives the wait up", "writes are paused", "writes go on",
	"BZPOPMIN, postponed"
};

static int count, messages = 1, ticks = 7, cap = 5, lease, put_until = 2, put_delay = 2, bugs;
static int deaths, cuts, losses, terms, slow, pauses, settled, counting;
static u8 kind[WAITERS];

static bool takes(int i) { return kind[i] != 'P'; }
static bool promotes(int i) { return kind[i] != 'N'; }
static u8 least(u8 a, u8 b) { return a < b ? a : b; }

/* --- the server --- */

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

/* pop: may that waiter have a mark? Those of wake come before those of timer, and these before those of guard. */
static bool pop(struct state *s, int i)
{
	if (takes(i) && s->r) {
		s->r = 0;
		answer(s, i, READY, 0);
	} else if (promotes(i) && s->t != NONE) {
		u8 at = s->t;
		s->t = NONE;
		answer(s, i, TIME, at);
	} else if (promotes(i) && s->w[i].spare_too && s->u != NONE) {
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

static u8 next_move(const struct state *s) /* lua/lib/wake.lua */
{
	u8 at = NONE;

	for (int k = 0; k < messages; k++)
		if (s->m[k].state == DELAYED || (s->m[k].state == LEASED && lease))
			at = least(at, s->m[k].due);
	return at;
}

static void wake_at(struct state *s, u8 at, u8 released) /* lua/lib/wake.lua */
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

static bool ready_now(const struct state *s) /* lua/lib/wake.lua; of other moves that leave nothing ready, lua/lib/move.lua */
{
	for (int k = 0; k < messages; k++)
		if (s->m[k].state == IS_READY)
			return true;
	return false;
}

static void wake(struct state *s, u8 released) /* lua/lib/wake.lua */
{
	u8 at = next_move(s);

	s->r = ready_now(s);
	if (s->r && !(bugs & (BARE | SHY)))
		at = least(at, (u8)(s->now + GUARD));
	wake_at(s, at, released);
}

/* to_release: does the caller release with this look what it holds? A time that has come, or where it turns to work; a doubt where not. */
static bool to_release(const struct state *s, u8 held, bool found)
{
	if (bugs & HERD)
		return true;
	return held == ASK ? !found : found || held <= s->now;
}

/* look: lua/take.lua, lua/promote.lua. The message that it gave, or NONE. */
static u8 look(struct state *s, int i, u8 held)
{
	u8 found = NONE;

	for (int k = 0; k < messages && promotes(i); k++) {
		struct message *m = &s->m[k];
		if (m->due <= s->now && (m->state == DELAYED || (m->state == LEASED && lease))) {
			m->state = IS_READY;
			m->owner = NONE;
		}
	}
	for (int k = 0; k < messages && takes(i) && found == NONE; k++) {
		struct message *m = &s->m[k];
		if (m->state != IS_READY)
			continue;
		found = (u8)k;
		*m = (struct message){.state = LEASED, .owner = (u8)i, .due = lease ? (u8)(s->now + lease) : NONE};
		m->available = m->due;
	}
	wake(s, to_release(s, held, found != NONE) ? held : NONE);
	return found;
}

static void mark_timer(struct state *s, u8 at) /* lua/mark.lua */
{
	if (bugs & HERD)
		s->t = least(s->t, at);
	else if (s->armed != NONE && (at == ASK || at == s->armed))
		s->t = s->armed;
	if (at == ASK && s->armed != NONE && !(bugs & BARE))
		s->u = (u8)(s->armed + GUARD);
}

static void mark_guard(struct state *s, u8 at) /* lua/mark.lua */
{
	if (s->armed != NONE && s->armed + GUARD == at)
		s->u = at;
}

/* --- the client --- */

static u8 waiter_held(const struct waiter *w, int i)
{
	if (!promotes(i))
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

	if (w->wait != NO_WAIT && promotes(i) && !(bugs & CUT))
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
	w->spare_too = w->held == NONE && !(bugs & BARE);
	w->block_ends = (u8)(s->now + cap);
}

/* compare: clock_compare. The answer has been so many ticks on its way; it was read when it was asked for. */
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
		w->place = !w->reopens ? GIVE_BACK : ready ? LOOK : w->held != NONE && w->spare != NONE ? PASS : SLEEP;
		w->until = 0;
		if (w->place == SLEEP)
			waiter_open(&s, i);
		w->reopens = 0;
		to(&s, RESTED, i, 0);
	} else if ((w->wait == STANDS || w->wait == POSTPONED) && !(bugs & ONCE) && unblock(&s, i)) {
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
		s.r = s.r || ready_now(&s); /* lua/mark.lua */
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

/* told: the answer to a look is there: waiter_called, and what follows in take_round of taker.c. */
static void told(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	marks_release(w, w->message != NONE, s.now);
	if (w->message != NONE) {
		w->place = w->wait == NO_WAIT ? GIVE_BACK : REST;
	} else {
		waiter_open(&s, i);
		w->place = w->held == NONE && !w->spare_too && promotes(i) && !(bugs & BARE) ? REOPEN : SLEEP;
	}
	to(&s, TOLD, i, 0);
}

static void looks(struct state s, int i)
{
	struct waiter *w = &s.w[i];
	int most = s.slow < slow ? 2 : 0; /* ticks that the answer is on its way */

	command(&s);
	w->message = look(&s, i, waiter_held(w, i));
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
		*m = (struct message){.state = SETTLED, .owner = NONE};
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
		      (w->place == GIVE_BACK && (w->ready || w->held != NONE || w->doubt == LOST || w->spare != NONE));

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

/* arrives: what is on its way to the server, or ends there. */
static bool arrives(struct state s, int i)
{
	struct waiter *w = &s.w[i];

	if (w->wait == SENT && s.paused) {
		w->wait = POSTPONED;
		to(&s, POSTPONE, i, 0);
		return true;
	}
	if (w->wait == SENT) {
		command(&s);
		if (!pop(&s, i)) {
			w->wait = STANDS;
			s.queue[s.blocked++] = (u8)i;
		}
		to(&s, BZPOPMIN, i, 0);
		return true;
	}
	if (w->wait == STANDS && w->block_ends <= s.now) {
		answer(&s, i, NIL, 0);
		to(&s, TIME_OUT, i, 0);
		return true;
	}
	return false;
}

static void dies(struct state s, int i)
{
	unqueue(&s, i);
	s.w[i] = (struct waiter){.place = GONE, .held = NONE, .spare = NONE, .message = NONE};
	s.deaths++;
	for (int k = 0; k < messages; k++)
		if (s.m[k].owner == i)
			s.m[k].owner = NONE;
	to(&s, KILL, i, 0);
}

static void is_ended(struct state s, int i)
{
	s.w[i].leaving = 1;
	s.w[i].place = s.w[i].wait == NO_WAIT ? GIVE_BACK : REST;
	s.terms++;
	to(&s, TERM, i, 0);
}

static void loses_wait(struct state s, int i)
{
	s.cuts++;
	if (s.w[i].place == SLEEP) {
		waiter_lost(&s, i);
		s.w[i].place = LOOK;
	} else {
		withdraw_fails(&s, i);
	}
	to(&s, CUT_WAIT, i, 0);
}

/* loses_script: before the script ran, or its answer. */
static void loses_script(struct state s, int i)
{
	struct state n = s;
	u8 found;

	s.losses++;
	waiter_lost(&s, i);
	to(&s, CUT_SCRIPT, i, 0);
	n.losses++;
	found = look(&n, i, waiter_held(&n.w[i], i));
	if (found != NONE)
		n.m[found].owner = NONE;
	serve(&n);
	waiter_lost(&n, i);
	to(&n, CUT_ANSWER, i, 0);
}

static void goes_wrong(const struct state *s, int i)
{
	const struct waiter *w = &s->w[i];

	if (s->deaths < deaths)
		dies(*s, i);
	if (s->terms < terms && w->place == SLEEP)
		is_ended(*s, i);
	if (s->cuts < cuts && w->wait != NO_WAIT && (w->place == SLEEP || w->place == RESTING))
		loses_wait(*s, i);
	if (s->losses < losses && w->place == LOOK && !s->paused)
		loses_script(*s, i);
}

static void puts_one(const struct state *s)
{
	int k = 0;

	while (k < messages && s->m[k].state != UNBORN_MESSAGE)
		k++;
	if (k == messages || s->now > put_until || s->paused)
		return;
	for (int delay = 0; delay <= put_delay; delay++) {
		struct state n = *s;
		u8 due = (u8)(s->now + delay);
		command(&n);
		n.m[k] = (struct message){.state = delay ? DELAYED : IS_READY, .due = due, .available = due, .owner = NONE};
		wake(&n, NONE);
		serve(&n);
		to(&n, PUT, k, delay);
	}
}

/* pauses_or_resumes: what was postponed then arrives anew, in any order. */
static void pauses_or_resumes(const struct state *s)
{
	struct state n = *s;

	n.paused = !s->paused;
	if (s->paused) {
		for (int i = 0; i < count; i++)
			if (n.w[i].wait == POSTPONED)
				n.w[i].wait = SENT;
		to(&n, RESUME, 0, 0);
	} else if (s->pauses < pauses) {
		n.pauses++;
		to(&n, PAUSE, 0, 0);
	}
}

/* --- what must hold --- */

/* able: does somebody sleep who could move or take it? */
static bool able(const struct state *s, const struct message *m)
{
	for (int i = 0; i < count; i++)
		if (s->w[i].place == SLEEP && (m->state == IS_READY ? takes(i) : promotes(i)))
			return true;
	return false;
}

/* timekeepers: those who will look at the time that is armed, besides whom a doubt has added. */
static u8 timekeepers(const struct state *s)
{
	int n = s->t != NONE && s->t == s->armed;

	for (int i = 0; i < count && s->armed > s->now && s->armed != NONE; i++)
		n += s->w[i].held == s->armed || (s->w[i].mark == TIME && s->w[i].mark_at == s->armed);
	return (u8)(n > s->doubts ? n - s->doubts : 0);
}

static void tick(struct state s)
{
	u8 n = timekeepers(&s);

	if (n > s.herd)
		s.herd = n;
	for (int k = 0; k < messages; k++) {
		struct message *m = &s.m[k];
		bool waits = m->state == DELAYED || m->state == IS_READY || (m->state == LEASED && lease);
		m->late = waits && !s.paused && m->available <= s.now && able(&s, m) ? (u8)(m->late + 1) : 0;
		if (m->late > s.worst)
			s.worst = m->late;
	}
	s.now++;
	to(&s, TICK, 0, 0);
}

static void expand(const struct state *s)
{
	bool busy = false;

	if (s->worst == DEAD_SERVER)
		return;
	pauses_or_resumes(s);
	for (int i = 0; i < count; i++) {
		u8 place = s->w[i].place;
		if (place == GONE)
			continue;
		if (place == UNBORN) {
			struct state n = *s;
			n.w[i].place = LOOK;
			if (s->now <= put_until && s->deaths == deaths)
				to(&n, START, i, 0);
			continue;
		}
		if (arrives(*s, i))
			busy = true;
		if (acts(s, i))
			busy = true;
		goes_wrong(s, i);
	}
	puts_one(s);
	if (!busy && s->now < ticks)
		tick(*s);
}

/* --- the command --- */

static void say(const struct state *s, uint16_t by)
{
	enum step step = by >> 8;
	int who = by >> 4 & 15, what = by & 15;

	if (step == TICK)
		printf("\n  [%d%s]", s->now, s->worst ? " late" : "");
	else if (step == PUT)
		printf(" put %d, due in %d;", who, what);
	else if (step == TAKE)
		printf(" %c%d takes%s%s;", kind[who], who, s->w[who].message == NONE ? "" : " one", what ? ", slow" : "");
	else if (step == HEAR)
		printf(" %c%d hears %s;", kind[who], who, what == NIL ? "nil" : what == READY ? "r" : what == TIME ? "t" : "u");
	else if (step == PAUSE || step == RESUME)
		printf(" %s;", step_text[step]);
	else if (step != TOLD && step != RESTED && step != RETURNED && step != WORKED)
		printf(" %c%d %s;", kind[who], who, step_text[step]);
}

static void set(const char *word)
{
	static const struct { const char *name; int *value; } names[] = {
		{"messages", &messages}, {"ticks", &ticks}, {"cap", &cap}, {"lease", &lease}, {"put-until", &put_until},
		{"put-delay", &put_delay}, {"bug", &bugs}, {"deaths", &deaths}, {"cuts", &cuts}, {"losses", &losses}, {"terms", &terms},
		{"slow", &slow}, {"pauses", &pauses}, {"settled", &settled}, {"commands", &counting},
	};
	const char *equals = strchr(word, '=');

	for (size_t i = 0; equals && i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == (size_t)(equals - word) && !strncmp(names[i].name, word, (size_t)(equals - word))) {
			*names[i].value = atoi(equals + 1);
			return;
		}
	explore_fail(word);
}

/* first: nobody has looked yet; or, settled, all have, and sleep. */
static struct state first(void)
{
	struct state s;

	memset(&s, 0, sizeof s);
	s.armed = s.t = s.u = NONE;
	for (int i = 0; i < WAITERS; i++)
		s.w[i] = (struct waiter){.place = GONE, .held = NONE, .spare = NONE, .message = NONE};
	for (int i = 0; i < count; i++) {
		s.w[i].place = kind[i] & 32 ? UNBORN : LOOK;
		s.w[i].doubt = bugs & RESTART ? SURE : NEW;
		kind[i] &= (u8)~32;
		if (!settled || s.w[i].place == UNBORN)
			continue;
		s.w[i].place = SLEEP;
		s.w[i].doubt = SURE;
		s.w[i].wait = STANDS;
		s.w[i].spare_too = !(bugs & BARE) && promotes(i);
		s.w[i].block_ends = (u8)cap;
		s.queue[s.blocked++] = (u8)i;
	}
	for (int k = 0; k < MESSAGES; k++)
		s.m[k].owner = NONE;
	return s;
}

int main(int argc, char **argv)
{
	size_t worst = 0, herd = 0, most = 0;
	struct state s;

	if (argc < 2 || strlen(argv[1]) > WAITERS)
		explore_fail("waiting WAITERS [NAME=NUMBER...]");
	count = (int)strlen(argv[1]);
	memcpy(kind, argv[1], (size_t)count);
	for (int i = 2; i < argc; i++)
		set(argv[i]);
	s = first();
	explore_add(&s, 0);
	while (explore_at(&s)) {
		if (s.worst > explore_states[worst].worst)
			worst = explore_now;
		if (s.herd > explore_states[herd].herd)
			herd = explore_now;
		if (s.commands > explore_states[most].commands)
			most = explore_now;
		expand(&s);
	}
	printf("late %d, timekeepers %d, commands %d, states %zu\n", explore_states[worst].worst, explore_states[herd].herd,
	       explore_states[most].commands, explore_count);
	if (explore_states[worst].worst) {
		printf(" late:");
		explore_way(worst, say);
		puts("");
	}
	if (explore_states[herd].herd > 1) {
		printf(" timekeepers:");
		explore_way(herd, say);
		puts("");
	}
	return fflush(stdout) != 0;
}
