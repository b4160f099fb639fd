/* waiting: a model of how dq's tools wait for each other (dq-scripts(7), WAITING), explored
 * whole: all orders in which a few waiters, the server and what goes wrong can take turns around
 * one or two messages.
 *
 *     waiting WAITERS [NAME=NUMBER...]     see main
 *
 * WAITERS is a letter each: T a taker or worker that promotes, N dq-take --no-promote (it keeps the
 * time as T does once it is told of a limit), P dq-promote -f; lower case: it comes later, and
 * after all deaths, as one that is started again does. Time goes by ticks, and only when nothing
 * else can happen: within a tick everything that can happen happens, in every order. So a message
 * is late by the ticks it could have been moved or taken in, while somebody slept who could.
 *
 * server.h and client.h are written as the code is, part by part, and change with it: server:
 * lua/lib/wake.lua, lua/take.lua, lua/promote.lua, lua/mark.lua (and, to the same effect, the
 * usual passes: lua/lib/move.lua, lua/lib/marks.lua, lua/lib/nothing.lua,
 * lua/lib/next_in.lua), lua/lib/key_pause.lua, BZPOPMIN; client: common/waiting/marks.c,
 * common/waiting/waiter.c, common/waiting/block.c, common/waiting/rounds.c, and the loops of
 * cmd/dq-take/taker.c, cmd/dq-run/intake.c, cmd/dq-promote/watch.c.
 * Bugs that there once were or could be, and the lack of a guard (BARE: for any, SHY: for what is
 * ready), are kept behind flags (bug=...), and test/model/run holds that each is still found.
 *
 * Limits (lua/lib/limits.lua): at most so many messages are leased, or begun in so many ticks, or
 * none until a pause of the queue ends (SUSPEND; not one of writes), or none of the key of message
 * 0 until its pause ends, or is ended (KEY_PAUSE). A message that they hold back is not late.
 *
 * A pause of writes (CLIENT PAUSE, a planned failover) begins and ends at any time. Meanwhile no
 * script runs, and the server postpones each BZPOPMIN that arrives, and the transaction with CLIENT
 * UNBLOCK. CLIENT UNBLOCK for a postponed BZPOPMIN is the death of the server. */
#include "client.h"

static const char *const step_text[] = {
	"put", "", "take", "is told", "hears", "its time comes", "BZPOPMIN", "time-out",
	"CLIENT UNBLOCK", "is unblocked", "mark wake", "mark timer", "mark guard", "turns to work",
	"has worked", "ack", "is killed", "is ended", "loses the wait", "loses the script, not run",
	"loses the answer of the script", "starts", "gives the wait up", "writes are paused",
	"writes go on", "BZPOPMIN, postponed", "the queue is paused", "the limit is raised",
	"is removed", "the key of 0 is paused", "it is resumed"
};


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
		n.m[k] = (struct message){.state = delay ? DELAYED : IS_READY, .due = due,
					  .available = due, .owner = NONE};
		wake(&n, NONE, false);
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

/* removes_one: dq-rm, or dq-ack by somebody who does not take: what frees a place
 * without a look. */
static void removes_one(const struct state *s)
{
	for (int k = 0; k < messages && s->removes < removes && !s->paused; k++) {
		struct state n = *s;
		if (s->m[k].state != LEASED)
			continue;
		n.removes++;
		command(&n);
		settle(&n, &n.m[k]);
		serve(&n);
		to(&n, REMOVE, k, 0);
	}
}

/* key_is_set: lua/set.lua, of a pause of the key: with an end, for good, or none. */
static void key_is_set(const struct state *s, u8 until)
{
	struct state n = *s;

	n.key_paused = until;
	if (until) {
		n.holds++;
		n.tells = (u8)(s->now + cap + 1);
	}
	command(&n);
	if (until || !(bugs & MUTE))
		wake(&n, NONE, false);
	serve(&n);
	to(&n, until ? KEY_PAUSE : KEY_RESUME, 0, until == FOR_GOOD);
}

/* is_set: lua/set.lua, of a pause with an end, and of a limit. */
static void is_set(const struct state *s)
{
	struct state n = *s;

	if (s->key_paused && !s->paused)
		key_is_set(s, 0);
	if (s->holds < holds && !s->key_paused && !s->paused && s->now <= put_until) {
		key_is_set(s, (u8)(s->now + 2));
		key_is_set(s, FOR_GOOD);
	}
	if (s->paused || s->now > put_until)
		return;
	if (s->suspends < suspends) {
		n.suspends++;
		n.suspended = (u8)(s->now + 2);
		n.tells = (u8)(s->now + cap + 1);
		command(&n);
		wake(&n, NONE, false);
		serve(&n);
		to(&n, SUSPEND, 0, 0);
	}
	n = *s;
	if (s->raised < raises) {
		n.raised++;
		command(&n);
		wake(&n, NONE, false);
		serve(&n);
		to(&n, RAISE, 0, 0);
	}
}

/* --- what must hold --- */

static bool holds_back(const struct state *s, const struct message *m)
{
	return m == &s->m[0] && s->key_paused > s->now;
}

/* able: does somebody sleep who could move or take it? */
static bool able(const struct state *s, const struct message *m)
{
	u8 until;

	for (int i = 0; i < count; i++)
		if (s->w[i].place == SLEEP &&
		    (m->state == IS_READY ? takes(i) && allowed(s, &until) && !holds_back(s, m) :
					    promotes(i)))
			return true;
	return false;
}

/* timekeepers: those who will look at the time that is armed, besides whom a doubt has added. */
static u8 timekeepers(const struct state *s)
{
	int n = s->t != NONE && s->t == s->armed;

	for (int i = 0; i < count && s->armed > s->now && s->armed != NONE; i++)
		n += s->w[i].held == s->armed ||
		     (s->w[i].mark == TIME && s->w[i].mark_at == s->armed);
	return (u8)(n > s->doubts ? n - s->doubts : 0);
}

/* forget: what counts no more must not make states differ. */
static void forget(struct state *s)
{
	for (int k = 0; k < BEGUN; k++)
		if (s->begun[k] != NONE && s->begun[k] + per <= s->now)
			s->begun[k] = NONE;
	if (s->suspended <= s->now)
		s->suspended = 0;
	if (s->tells <= s->now)
		s->tells = 0;
}

static void tick(struct state s)
{
	u8 n = timekeepers(&s);

	if (n > s.herd)
		s.herd = n;
	for (int k = 0; k < messages; k++) {
		struct message *m = &s.m[k];
		bool waits = m->state == DELAYED || m->state == IS_READY ||
			     (m->state == LEASED && lease);
		m->late = waits && !s.paused && m->available <= s.now && able(&s, m) ?
				  (u8)(m->late + 1) :
				  0;
		if (m->late > s.worst)
			s.worst = m->late;
	}
	s.now++;
	forget(&s);
	to(&s, TICK, 0, 0);
}

static void expand(const struct state *s)
{
	bool busy = false;

	if (s->worst >= TOO_MANY)
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
	is_set(s);
	removes_one(s);
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
		printf(" %c%d takes%s%s;", kind[who], who, s->w[who].message == NONE ? "" : " one",
		       what ? ", slow" : "");
	else if (step == HEAR)
		printf(" %c%d hears %s;", kind[who], who,
		       what == NIL   ? "nil" :
		       what == READY ? "r" :
		       what == TIME  ? "t" :
				       "u");
	else if (step == REMOVE)
		printf(" %d %s;", who, step_text[step]);
	else if (step == KEY_PAUSE)
		printf(" %s%s;", step_text[step], what ? " for good" : "");
	else if (step == PAUSE || step == RESUME || step == SUSPEND || step == RAISE ||
		 step == KEY_RESUME)
		printf(" %s;", step_text[step]);
	else if (step != TOLD && step != RESTED && step != RETURNED && step != WORKED)
		printf(" %c%d %s;", kind[who], who, step_text[step]);
}

static void set(const char *word)
{
	static const struct explore_number names[] = {
		{"messages", &messages}, {"ticks", &ticks}, {"cap", &cap}, {"lease", &lease},
		{"put-until", &put_until}, {"put-delay", &put_delay}, {"bug", &bugs},
		{"deaths", &deaths}, {"cuts", &cuts}, {"losses", &losses}, {"terms", &terms},
		{"slow", &slow}, {"pauses", &pauses}, {"settled", &settled},
		{"commands", &counting}, {"places", &places}, {"rate", &rate}, {"per", &per},
		{"suspends", &suspends}, {"holds", &holds}, {"raises", &raises},
		{"removes", &removes},
	};

	explore_set(word, names, sizeof names / sizeof *names);
}

/* first: nobody has looked yet; or, settled, all have, and sleep. */
static struct state first(void)
{
	struct state s;

	memset(&s, 0, sizeof s);
	s.armed = s.t = s.u = NONE;
	memset(s.begun, NONE, sizeof s.begun);
	for (int i = 0; i < WAITERS; i++)
		s.w[i] = (struct waiter){.place = GONE, .held = NONE, .spare = NONE,
					 .message = NONE};
	for (int i = 0; i < count; i++) {
		s.w[i].place = kind[i] & 32 ? UNBORN : LOOK;
		s.w[i].doubt = bugs & RESTART ? SURE : NEW;
		kind[i] &= (u8)~32;
		if (!settled || s.w[i].place == UNBORN)
			continue;
		s.w[i].place = SLEEP;
		s.w[i].doubt = SURE;
		s.w[i].wait = STANDS;
		s.w[i].listens = promotes(i);
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
	if (rate + raises > BEGUN)
		explore_fail("rate and raises: at most 3 together");
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
	printf("late %d, timekeepers %d, commands %d, states %zu\n", explore_states[worst].worst,
	       explore_states[herd].herd, explore_states[most].commands, explore_count);
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
