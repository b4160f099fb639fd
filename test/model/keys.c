/* keys: a model of how messages with keys take turns, and of what holds them back (the settings
 * key-limit, keys=serial and keys=serial,stop), explored whole: all orders in which puts,
 * consumers, time and what goes wrong can take turns around a few keys of a few messages each.
 *
 *     keys [NAME=NUMBER...]     see set
 *
 * The scripts do this: lua/lib/elements.lua, lua/lib/keyed.lua, lua/lib/turn.lua,
 * lua/lib/heads.lua, lua/lib/pick.lua, lua/lib/picked.lua, lua/lib/rotate.lua and
 * lua/lib/mend_keys.lua. They differ in this: there a key that no setting limits has a place for
 * each priority of its ready messages, so it keeps its turn while more urgent ones go; a message
 * may expire; and with serial a take first moves all that is due (lua/lib/supply.lua). What is
 * stored for it, besides the states of messages (delayed, ready, leased, dead) and their try
 * entries, all of it derived from these and the ids:
 *   keyed  zset, all scores 0, up to three elements a message, found by the range of its key:
 *            KEY L REST       it is leased: how many of a key are is the length of a range, never a
 *                             counter
 *            KEY A REST       it is dead, with stop: nothing of the key may go
 *            KEY B REST       it has begun, so has a try entry, and is delayed or ready again: with
 *                             serial nothing else of the key may go
 *            KEY R SORT REST  it is ready; SORT is its score there, so the first of the range is
 *                             the next of its key
 *   turn   zset: the keys that may be served, each once; score = priority of the next message, then
 *          the turn: a key that comes, or was served, or whose next message has another priority,
 *          gets the turn behind the last one of that priority. So no tags, no memory.
 * A key's place in turn follows from its elements, by one function that may be called at any time
 * (place). A take asks it again before it leases: what is in turn wrongly costs a look and leaves.
 * So settings hold at once; when one is eased, a walk over the keys, a slice in each call, finds
 * those that may go again.
 * Scripts have no rollback. So an element is added before the state it stands for, and removed
 * after it: where a script is cut, too few are admitted. Each promote compares the elements of a
 * few keys with the states, in turn: that heals it.
 *
 * Time is a choice: a delayed message may be due, a lease may be over, at any moment. Safe: what is
 * delivered may be (may_go, from the states alone), no key is passed over twice by the same one,
 * none waits while a more urgent one goes, and every key that may go is in turn. Live: from every
 * state, with nothing else going wrong, promotes, takes and acks bring all messages to their end.
 * The faults of designs before this one, and of other queues, are kept behind flags (bug=...);
 * test/model/run holds that each is found. */
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;

enum { KEYS = 3, EACH = 3, MESSAGES = KEYS * EACH, CONSUMERS = 2, NONE = 255, ALL = 1000 };
/* of a message */
enum { DELAYED = 1, READY = 2, LEASED = 4, DEAD = 8, BODY = 16, TRY = 32, DUE = 64, OVER = 128 };
enum { WAS = DUE /* and nothing else: it had its end */ };
/* its elements in keyed */
enum { L = 1, B = 2, R = 4, A = 8 };
enum mode { FAIR, LIMIT, SERIAL, STOP };
enum fault { FINE, UNSAFE, DISORDER, UNFAIR, INVERTED, IDLE, WEDGED };
static const char *const fault_text[] = {"fine", "too many of a key", "out of order", "unfair",
					 "the less urgent first", "idle", "wedged"};

struct message {
	u8 in, elements, holder, tries; /* holder: of the valid receipt, from 1 on */
};

struct state {
	struct message m[MESSAGES];
	u8 place[KEYS];           /* in turn; 0: not there */
	u8 placed_class[KEYS];    /* the priority that the place was made for */
	u8 tag[KEYS];             /* only of the designs with tags */
	u8 works[CONSUMERS];      /* on which message */
	/* by whom a key was passed over while it could go; and what it could do at the last step */
	u8 passed[KEYS], was[KEYS];
	u8 mode, walk, check;     /* walk: the next key of the walk after a setting was eased */
	u8 cuts, deaths, changes, ends, gone, fault;
};

#include "explore.h"

enum bug {
	LEAST = 1,       /* a key that comes gets the least tag in turn: it may come again and
	                  * again before another */
	OLD_TAG = 2,     /* a key that comes again gets its old tag: it waits for all tags below */
	LATE_HELD = 4,   /* L is added after the message is leased */
	EARLY_FREE = 8,  /* L is removed before the message is not leased any more */
	RETRY_FREES = 16, /* a retry ends the hold of a serial key */
	RECLAIM = 32,    /* the end of a lease forgets the key */
	TRUST = 64,      /* a take trusts turn after a setting was made tighter */
	NO_CHECK = 128,  /* promote compares nothing */
	NO_WALK = 256,   /* a setting that is eased frees only what moves */
	REMOVED = 512,   /* what is removed or expires frees nothing */
	WAITING = 1024,  /* messages that are merely delayed hold a serial key */
	DIES = 2048,     /* a death does not end the hold */
	LATE_ACK = 4096, /* an ack after the lease ran out leaves B */
	STAYS = 8192,    /* a served key keeps its place: its whole backlog goes first */
	DEAD_FREE = 16384, /* of what is dead already stop knows nothing */
	BOTH_DEAD = 32768  /* what is dead and in another state, too, stops its key */
};
enum step {
	PUT, PUT_LATER, IS_DUE, LEASE_OVER, TAKE, ACK, RETRY, GIVE_BACK, BURY, PROMOTE, DIE, REMOVE,
	REDRIVE, SET
};
static const char *const step_text[] = {
	"put", "put, delayed", "is due", "lease over", "take", "ack", "retry", "give back", "bury",
	"promote", "dies", "rm", "redrive", "set"
};

static int keys = KEYS, each = EACH, consumers = CONSUMERS, mode = SERIAL, limit = 1;
static int unkeyed; /* key 0 stands for all messages without one: it has turns, and no limit */
static int urgent, bugs, alike, bare, delays, cuts, deaths, changes, ends, removes, tries = 2;
static int retries, backs, ready_first;
/* of the script that runs: writes after the budget do not happen */
static int budget = ALL, writes;

static int key_of(int m) { return m / EACH; }
/* class: 0 is more urgent than 1. */
static u8 class_of(int m) { return urgent && m % EACH == each - 1 ? 0 : 1; }
static bool limited(int k) { return !(unkeyed && k == 0); }

static bool may_write(void)
{
	writes++;
	return budget-- > 0;
}

static void on(u8 *where, u8 bits)
{
	if ((*where & bits) != bits && may_write())
		*where |= bits;
}

static void off(u8 *where, u8 bits)
{
	if ((*where & bits) != 0 && may_write())
		*where &= (u8)~bits;
}

/* --- what may be delivered, by the states alone --- */

/* is_dead: and in no other state. */
static bool is_dead(u8 in) { return in & DEAD && !(in & (DELAYED | READY | LEASED)); }

/* may_go: the next message of the key if one may go now, else NONE. */
static u8 may_go(const struct state *s, int k)
{
	u8 next = NONE, begun = NONE;
	int leased = 0, begun_elsewhere = 0, dead = 0;

	for (int m = k * EACH; m < k * EACH + each; m++) {
		u8 in = s->m[m].in;
		if (in & LEASED)
			leased++;
		else if (in & DELAYED && in & TRY)
			begun_elsewhere++;
		else if (in & READY && (next == NONE || class_of(m) < class_of(next)))
			next = (u8)m;
		if (in & READY && in & TRY && !(in & LEASED) && begun == NONE)
			begun = (u8)m;
		dead += is_dead(in) ? 1 : 0;
	}
	if (!limited(k) || s->mode == FAIR)
		return next;
	if (s->mode == LIMIT)
		return leased < limit ? next : NONE;
	if (leased || begun_elsewhere || (s->mode == STOP && dead))
		return NONE;
	return begun != NONE ? begun : next;
}

/* --- the scripts --- */

/* next_of: the next message of the key if one may go, by its elements. */
static u8 next_of(const struct state *s, int k)
{
	u8 next = NONE, begun = NONE;
	int leased = 0;
	bool held = false;

	for (int m = k * EACH; m < k * EACH + each; m++) {
		u8 elements = s->m[m].elements;
		leased += elements & L ? 1 : 0;
		if (elements & B && begun == NONE)
			begun = (u8)m;
		if (elements & R && (next == NONE || class_of(m) < class_of(next)))
			next = (u8)m;
		if ((bugs & WAITING && s->m[m].in & DELAYED) || (s->mode == STOP && elements & A))
			held = true;
	}
	if (!limited(k) || s->mode == FAIR)
		return next;
	if (s->mode == LIMIT)
		return leased < limit ? next : NONE;
	if (leased || held)
		return NONE;
	if (begun != NONE)
		return s->m[begun].in & READY ? begun : NONE;
	return next;
}

static u8 edge_place(const struct state *s, int but, u8 class, bool least)
{
	u8 edge = 0;

	for (int k = 0; k < keys; k++)
		if (k != but && s->place[k] && s->placed_class[k] == class)
			if (!edge || (least ? s->place[k] < edge : s->place[k] > edge))
				edge = s->place[k];
	return edge;
}

/* new_place: behind the last one of that priority; or what the designs with tags give. */
static u8 new_place(const struct state *s, int k, u8 class, bool served)
{
	u8 least = edge_place(s, k, class, true);

	if (served && bugs & STAYS)
		return s->place[k];
	if (bugs & LEAST)
		return served ? (u8)(s->place[k] + 1) : least ? least : 1;
	if (bugs & OLD_TAG && served)
		return (u8)(s->place[k] + 1);
	if (bugs & OLD_TAG)
		return s->tag[k] > least ? s->tag[k] : least ? least : 1;
	least = edge_place(s, k, class, false); /* the last */
	return least || !s->place[k] || s->placed_class[k] != class ? (u8)(least + 1) : s->place[k];
}

/* place: where the key is in turn, by its elements; served: it had its turn. */
static void place(struct state *s, int k, bool served)
{
	u8 next = next_of(s, k);
	u8 class = next == NONE ? 0 : class_of(next);

	if (served && bugs & OLD_TAG)
		s->tag[k] = (u8)(s->place[k] + 1);
	if (next == NONE) {
		if (s->place[k] && may_write())
			s->place[k] = s->placed_class[k] = 0;
	} else if (!s->place[k] || s->placed_class[k] != class || served) {
		u8 at = new_place(s, k, class,
				  served && s->place[k] && s->placed_class[k] == class);
		if (may_write()) {
			s->place[k] = at;
			s->placed_class[k] = class;
		}
	}
}

static u8 elements_of(const struct state *s, u8 in)
{
	u8 elements = (u8)((in & LEASED ? L : 0) | (in & READY ? R : 0));

	if (s->mode == STOP && (bugs & BOTH_DEAD ? (in & DEAD) != 0 : is_dead(in)))
		elements |= A;
	return !(in & LEASED) && in & TRY && in & (DELAYED | READY) ? elements | B : elements;
}

/* move: into the state `to` (0: gone) and out of all others; elements first, or last.
 * try: the try entry stays. */
static void move(struct state *s, int m, u8 to, bool try, bool forgets)
{
	struct message *one = &s->m[m];
	u8 new = elements_of(s, (u8)(to | (try ? TRY : 0)));

	if (bugs & RETRY_FREES || (bugs & DIES && to == DEAD))
		new &= (u8)~B;
	if (to == LEASED && bugs & LATE_HELD)
		new &= (u8)~L;
	on(&one->elements, new);
	if (try)
		on(&one->in, TRY);
	if (one->in & LEASED && bugs & EARLY_FREE)
		off(&one->elements, (u8)(L & ~new));
	if (to)
		on(&one->in, to);
	off(&one->in, (u8)(((DELAYED | READY | LEASED | DEAD) & ~to) | DUE | OVER));
	if (to == LEASED && bugs & LATE_HELD)
		on(&one->elements, L), new |= L;
	if (!(bugs & DIES && to == DEAD) && !(bugs & LATE_ACK && !to && one->elements & B))
		off(&one->elements, (u8)~new);
	if (!forgets)
		place(s, key_of(m), false);
	if (!try)
		off(&one->in, TRY);
	if (to == 0 && may_write())
		one->in = WAS;
}

/* ends_lease: the message becomes `to`, or dead if its tries are used up. */
static void ends_lease(struct state *s, int m, u8 to, bool forgets)
{
	bool dead = s->m[m].tries >= tries;

	if (budget <= 0)
		return;
	move(s, m, dead ? DEAD : to, !dead, forgets);
}

static void reclaim(struct state *s)
{
	for (int m = 0; m < MESSAGES; m++)
		if (s->m[m].in & LEASED && s->m[m].in & OVER)
			ends_lease(s, m, READY, bugs & RECLAIM);
	for (int m = 0; m < MESSAGES; m++)
		if (s->m[m].in & DELAYED && s->m[m].in & DUE)
			move(s, m, READY, s->m[m].in & TRY, false);
}

/* check_key: compares the elements of a key with the states of their messages. */
static void check_key(struct state *s, int k)
{
	for (int m = k * EACH; m < k * EACH + each; m++)
		if (s->m[m].elements) {
			on(&s->m[m].elements, elements_of(s, s->m[m].in));
			off(&s->m[m].elements, (u8)~elements_of(s, s->m[m].in));
		}
	place(s, k, false);
}

/* walk: places a key after a change of the setting; what is dead gets its element, or loses it. */
static void walk(struct state *s)
{
	if (s->walk == NONE)
		return;
	for (int m = s->walk * EACH; m < s->walk * EACH + each && !(bugs & DEAD_FREE); m++) {
		on(&s->m[m].elements, elements_of(s, s->m[m].in) & A);
		off(&s->m[m].elements, A & ~elements_of(s, s->m[m].in));
	}
	place(s, s->walk, false);
	if (may_write())
		s->walk = s->walk + 1 < keys ? (u8)(s->walk + 1) : NONE;
}

static void promote(struct state *s)
{
	reclaim(s);
	if (!(bugs & NO_CHECK)) {
		check_key(s, s->check);
		s->check = (u8)((s->check + 1) % keys);
	}
	walk(s);
}

static int first_in_turn(const struct state *s)
{
	int best = -1;

	for (int k = 0; k < keys; k++)
		if (s->place[k])
			if (best < 0 || s->placed_class[k] < s->placed_class[best] ||
			    (s->placed_class[k] == s->placed_class[best] &&
			     s->place[k] < s->place[best]))
				best = k;
	return best;
}

static void fails(struct state *s, enum fault fault)
{
	if (!s->fault)
		s->fault = (u8)fault;
}

/* judge: may this one be delivered, now, from that key? By the states as they were before. */
static void judge(struct state *s, int m)
{
	int k = key_of(m), leased = 0, begun = 0, before = 0, dead = 0;
	u8 in = s->m[m].in;

	for (int o = k * EACH; o < k * EACH + each; o++) {
		if (o == m)
			continue;
		leased += s->m[o].in & LEASED ? 1 : 0;
		begun += s->m[o].in & TRY && s->m[o].in & (DELAYED | READY) ? 1 : 0;
		dead += is_dead(s->m[o].in) ? 1 : 0;
		before += s->m[o].in & READY && (class_of(o) < class_of(m) ||
						 (class_of(o) == class_of(m) && o < m)) ?
				  1 :
				  0;
	}
	if (limited(k) && s->mode != FAIR && leased >= (s->mode >= SERIAL ? 1 : limit))
		fails(s, UNSAFE);
	if (limited(k) && s->mode >= SERIAL && (begun || before) && !(in & TRY))
		fails(s, DISORDER);
	if (limited(k) && s->mode == STOP && dead && s->walk == NONE)
		fails(s, DISORDER);
	for (int o = 0; o < keys && !s->cuts && s->walk == NONE; o++) {
		u8 next = o == k ? NONE : may_go(s, o);
		if (next == NONE || class_of(next) > class_of(m))
			continue;
		if (class_of(next) < class_of(m))
			fails(s, INVERTED);
		else if (s->passed[o] & 1 << k)
			fails(s, UNFAIR);
		s->passed[o] |= (u8)(1 << k);
	}
	s->passed[k] = 0;
}

/* take: of one message; false if there is none. */
static bool take(struct state *s, int c)
{
	for (int looks = 0; looks < keys + MESSAGES; looks++) {
		int k = first_in_turn(s);
		u8 m;
		if (k < 0 || budget <= 0)
			return false;
		m = next_of(s, k);
		if (bugs & TRUST)
			for (int o = k * EACH; o < k * EACH + each && m == NONE; o++)
				m = s->m[o].elements & R ? (u8)o : NONE;
		if (m == NONE || class_of(m) != s->placed_class[k]) {
			place(s, k, false);
		} else if (!(s->m[m].in & READY)) {
			off(&s->m[m].elements, R); /* a script was cut */
			place(s, k, false);
		} else {
			judge(s, m);
			move(s, m, LEASED, true, true);
			place(s, k, true);
			if (s->m[m].in & LEASED && budget > 0) {
				s->m[m].tries++;
				s->m[m].holder = (u8)(c + 1);
				s->works[c] = m;
			}
			return true;
		}
	}
	return false;
}

/* settle: ack, retry, give back, bury of what the consumer has; stale receipts change nothing. */
static void settle(struct state *s, int c, enum step how)
{
	int m = s->works[c];
	struct message *one = &s->m[m];
	bool valid = one->holder == c + 1;

	s->works[c] = NONE;
	if (!valid || !(one->in & (LEASED | (how == ACK ? READY : 0))))
		return;
	one->holder = 0;
	if (how == ACK) {
		move(s, m, 0, false, false);
	} else if (how == BURY) {
		move(s, m, DEAD, false, false);
	} else if (how == RETRY) {
		ends_lease(s, m, DELAYED, false);
	} else {
		if (one->tries)
			one->tries--;
		move(s, m, READY, true, false);
	}
}

static void set_mode(struct state *s, u8 to)
{
	s->mode = to;
	s->walk = bugs & NO_WALK ? NONE : 0;
	walk(s);
}

/* --- all that can happen --- */

/* ranks: the same turns by the least numbers; what no longer matters is 0.
 * So there are fewer states. */
static void ranks(struct state *s)
{
	u8 old[KEYS];

	memcpy(old, s->place, sizeof old);
	for (int k = 0; k < keys; k++) {
		u8 rank = 1;
		if (!old[k] || bugs & (OLD_TAG | LEAST))
			continue;
		for (int o = 0; o < keys; o++)
			if (old[o] && s->placed_class[o] == s->placed_class[k] &&
			    (o < k ? old[o] <= old[k] : old[o] < old[k]))
				rank++;
		s->place[k] = rank;
	}
	for (int m = 0; m < MESSAGES; m++)
		if (!(s->m[m].in & (DELAYED | READY | LEASED)))
			s->m[m].tries = s->m[m].holder = 0;
}

/* renamed: the state with keys a and b exchanged. */
static struct state renamed(const struct state *s, int a, int b)
{
	struct state n = *s;

	for (int e = 0; e < EACH; e++) {
		n.m[a * EACH + e] = s->m[b * EACH + e];
		n.m[b * EACH + e] = s->m[a * EACH + e];
	}
	for (int c = 0; c < CONSUMERS; c++)
		if (s->works[c] != NONE && (key_of(s->works[c]) == a || key_of(s->works[c]) == b))
			n.works[c] = (u8)(s->works[c] % EACH +
					  EACH * (key_of(s->works[c]) == a ? b : a));
	n.place[a] = s->place[b], n.place[b] = s->place[a];
	n.placed_class[a] = s->placed_class[b], n.placed_class[b] = s->placed_class[a];
	n.passed[a] = s->passed[b], n.passed[b] = s->passed[a];
	n.was[a] = s->was[b], n.was[b] = s->was[a];
	for (int k = 0; k < KEYS; k++) {
		u8 bits = n.passed[k], both = (u8)(1 << a | 1 << b);
		if ((bits & both) != both && bits & both)
			n.passed[k] = bits ^ both;
	}
	return n;
}

/* one_of_alike: keys, and consumers, are interchangeable while nothing is cut and no walk is under
 * way: of states that differ only in their names the least stands for all. */
static void one_of_alike(struct state *s)
{
	if (s->works[0] > s->works[1] && !bare && consumers == 2) {
		u8 other = s->works[0];
		s->works[0] = s->works[1], s->works[1] = other;
		for (int m = 0; m < MESSAGES; m++)
			s->m[m].holder = s->m[m].holder ? (u8)(3 - s->m[m].holder) : 0;
	}
	for (int k = 0; k < keys && s->walk == NONE && !s->check && !s->cuts && !unkeyed; k++)
		for (int o = k + 1; o < keys; o++) {
			struct state n = renamed(s, k, o);
			if (memcmp(&n, s, sizeof n) < 0)
				*s = n;
		}
}

/* receipts: how many messages of the key have a valid one, also after the end of their lease. */
static int receipts(const struct state *s, int k)
{
	int valid = 0;

	for (int m = k * EACH; m < k * EACH + each; m++)
		valid += s->m[m].holder ? 1 : 0;
	return valid;
}

static void to(struct state *s, enum step step, int what, int who)
{
	ranks(s);
	for (int k = 0; k < keys; k++) {
		u8 next = may_go(s, k), is = next == NONE ? NONE : class_of(next);
		if (is != s->was[k])
			s->passed[k] = 0;
		s->was[k] = is;
		if (is != NONE && !s->place[k] && !s->cuts && s->walk == NONE)
			fails(s, IDLE);
		if (receipts(s, k) > 1 && limited(k) && s->mode >= SERIAL && !s->changes)
			fails(s, UNSAFE);
	}
	if (!s->cuts)
		s->check = 0; /* there is nothing to find */
	if (alike)
		one_of_alike(s);
	explore_add(s, (uint16_t)((unsigned)step << 8 | (unsigned)what << 4 | (unsigned)who));
}

/* runs: a script, whole; and, if there may be cuts, cut before each of its writes. */
static void runs(const struct state *s, enum step step, int what, int who)
{
	int most = 0;

	for (int cut = -1; cut < most; cut++) {
		struct state n = *s;
		if (cut >= 0 && s->cuts >= cuts)
			return;
		budget = cut < 0 ? ALL : cut;
		writes = 0;
		if (cut >= 0)
			n.cuts++;
		if (step == TAKE) {
			if (!(bare && who == 1))
				reclaim(&n);
			take(&n, who);
		} else if (step == PROMOTE) {
			promote(&n);
		} else if (step == PUT || step == PUT_LATER) {
			on(&n.m[what].in, BODY);
			move(&n, what, step == PUT ? READY : DELAYED, false, false);
		} else if (step == REMOVE) {
			n.gone++;
			move(&n, what, 0, false, bugs & REMOVED);
		} else if (step == REDRIVE) {
			n.gone++;
			move(&n, what, READY, s->mode == STOP, false);
		} else if (step == SET) {
			n.changes++;
			set_mode(&n, (u8)what);
		} else {
			settle(&n, who, step);
		}
		if (cut < 0)
			most = writes;
		budget = ALL;
		to(&n, step, what, who);
	}
}

static void puts_one(const struct state *s)
{
	for (int k = 0; k < keys; k++)
		for (int m = k * EACH; m < k * EACH + each; m++) {
			if (s->m[m].in)
				continue;
			runs(s, PUT, m, 0);
			if (delays)
				runs(s, PUT_LATER, m, 0);
			break;
		}
}

static void time_goes(const struct state *s)
{
	for (int m = 0; m < MESSAGES; m++) {
		struct state n = *s;
		if (s->m[m].in & DELAYED && !(s->m[m].in & DUE)) {
			n.m[m].in |= DUE;
			to(&n, IS_DUE, m, 0);
		}
		if (s->m[m].in & LEASED && !(s->m[m].in & OVER) && s->ends < ends) {
			n.m[m].in |= OVER;
			n.ends++;
			to(&n, LEASE_OVER, m, 0);
		}
	}
}

static void consumers_act(const struct state *s)
{
	for (int c = 0; c < consumers; c++) {
		if (s->works[c] == NONE) {
			runs(s, TAKE, 0, c);
			continue;
		}
		runs(s, ACK, 0, c);
		if (retries)
			runs(s, RETRY, 0, c);
		if (backs) {
			runs(s, GIVE_BACK, 0, c);
			runs(s, BURY, 0, c);
		}
		if (s->deaths < deaths) {
			struct state n = *s;
			n.works[c] = NONE;
			n.deaths++;
			to(&n, DIE, 0, c);
		}
	}
}

static void expand(const struct state *s)
{
	puts_one(s);
	time_goes(s);
	consumers_act(s);
	runs(s, PROMOTE, 0, 0);
	for (int m = 0; m < MESSAGES && s->gone < removes; m++) {
		if (s->m[m].in & (DELAYED | READY | LEASED))
			runs(s, REMOVE, m, 0);
		if (s->m[m].in & DEAD)
			runs(s, REDRIVE, m, 0);
	}
	for (int to_mode = FAIR; to_mode <= STOP && s->changes < changes; to_mode++)
		if (to_mode != s->mode)
			runs(s, SET, to_mode, 0);
}

/* drains: do promotes, takes and acks bring all to their end, when nothing goes wrong any more? */
static bool drains(struct state s)
{
	for (int round = 0; round < MESSAGES * 2 + KEYS * 2; round++) {
		int left = 0;
		for (int m = 0; m < MESSAGES; m++) {
			u8 *in = &s.m[m].in;
			left += *in & (DELAYED | READY | LEASED) ? 1 : 0;
			*in |= (u8)((*in & DELAYED ? DUE : 0) | (*in & LEASED ? OVER : 0));
			if (is_dead(*in) && s.mode == STOP)
				move(&s, m, 0, false, false);
		}
		if (!left)
			return true;
		promote(&s);
		s.cuts = 1; /* what is passed over is not judged here */
		s.works[0] = NONE;
		if (take(&s, 0) && s.works[0] != NONE)
			settle(&s, 0, ACK);
	}
	return false;
}

/* --- the command --- */

static void say(const struct state *s, uint16_t by)
{
	enum step step = by >> 8;
	int what = by >> 4 & 15, who = by & 15;
	static u8 cut;

	printf(" %s", step_text[step]);
	if (step == TAKE && s->works[who] != NONE)
		what = s->works[who];
	if (step == SET)
		printf(" %s", what == FAIR   ? "fair" :
			      what == LIMIT  ? "limit" :
			      what == SERIAL ? "serial" :
					       "serial,stop");
	else if (step != PROMOTE &&
		 (step < TAKE || step > DIE || (step == TAKE && s->works[who] != NONE)))
		printf(" %c%d", 'A' + key_of(what), what % EACH + 1);
	if (step >= TAKE && step <= DIE && step != PROMOTE)
		printf(" by %d", who + 1);
	printf("%s;", s->cuts > cut ? ", cut" : "");
	cut = s->cuts;
}

static void set(const char *word)
{
	static const struct explore_number names[] = {
		{"keys", &keys}, {"each", &each}, {"consumers", &consumers}, {"mode", &mode},
		{"limit", &limit}, {"unkeyed", &unkeyed}, {"urgent", &urgent}, {"bug", &bugs},
		{"delays", &delays}, {"cuts", &cuts}, {"deaths", &deaths}, {"changes", &changes},
		{"ends", &ends}, {"removes", &removes}, {"tries", &tries}, {"retries", &retries},
		{"backs", &backs}, {"there", &ready_first}, {"bare", &bare}, {"alike", &alike},
	};

	explore_set(word, names, sizeof names / sizeof *names);
}

/* first: nothing is put; or, there=1, all is ready. */
static struct state first(void)
{
	struct state s;

	memset(&s, 0, sizeof s);
	s.mode = (u8)mode;
	s.walk = NONE;
	for (int c = 0; c < CONSUMERS; c++)
		s.works[c] = NONE;
	for (int m = 0; m < MESSAGES && ready_first; m++)
		if (m % EACH < each && key_of(m) < keys) {
			s.m[m].in = BODY;
			move(&s, m, READY, false, false);
		}
	for (int k = 0; k < KEYS; k++)
		s.was[k] = NONE;
	return s;
}

int main(int argc, char **argv)
{
	size_t worst = 0;
	struct state s;

	for (int i = 1; i < argc; i++)
		set(argv[i]);
	s = first();
	to(&s, PROMOTE, 0, 0);
	while (!worst && explore_at(&s)) {
		if (!s.fault && !drains(s))
			explore_states[explore_now].fault = s.fault = WEDGED;
		if (s.fault)
			worst = explore_now;
		else
			expand(&s);
	}
	printf("%s, states %zu\n", fault_text[s.fault], explore_count);
	if (worst) {
		explore_way(worst, say);
		puts("");
	}
	return fflush(stdout) != 0;
}
