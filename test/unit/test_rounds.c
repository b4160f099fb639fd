/* Goal: each shard is called in each round, unless a rule says why not and until when; what a
 * failure means for the others. No server. */
#include "base/clock.h"
#include "queue/shards.h"
#include "redis/exchange.h"
#include "unit.h"
#include "waiting/rounds.h"

/* Three queues: shards 0; 1, 2 and 3; 4. */
static struct exchange x;
static struct queue wholes[3];
static struct rounds r;

static void begin(bool cluster, int what)
{
	struct conn_conf conf = {.url = {.kind = URL_TCP, .server = {.port = 1}}};
	struct err e;

	exchange_init(&x, &conf);
	if (cluster)
		check_int(nodes_make(&x.nodes), 0);
	for (int i = 0; i < 3; i++)
		queue_init(&wholes[i], &x, "dq", i == 0 ? "a" : i == 1 ? "b" : "c");
	check_int(shards_set(&wholes[1], 3, &e), 0);
	/* the next round begins with the first shard */
	r = (struct rounds){.x = &x, .what = what, .turn = 2};
	check_int(rounds_watch_these(&r, wholes, 3, &e), 0);
}

static void end(void)
{
	rounds_free(&r);
	for (int i = 0; i < 3; i++)
		queue_free(&wholes[i]);
	exchange_close(&x);
}

/* The shards of one round, as digits. */
static void asks(const char *want)
{
	char got[20];
	size_t n = 0;
	struct err e;
	int i;

	check_int(rounds_begin(&r, &e), 0);
	while (n < sizeof got - 1 && (i = rounds_next(&r, false)) >= 0)
		got[n++] = (char)('0' + i);
	got[n] = 0;
	check_text(got, want);
}

static void good(int i, int found, bool paused, unsigned news)
{
	const struct rounds_reply got = {.now_us = 1, .asked_us = -1, .found = found,
					 .why = paused ? LIMIT_PAUSED : LIMIT_NONE};

	check_int(rounds_good(&r, i, &got), news);
}

static enum rounds_failure failed(int i, enum status status, enum fate fate)
{
	struct err e = {.status = status, .fate = fate, .text = "why"};

	return rounds_failed(&r, i, &e);
}

/* Queues in their order; of the shards of a queue another one is first each time. */
static void all_in_turn(void)
{
	begin(false, 0);
	asks("01234");
	asks("02314");
	asks("03124");
	check_int(r.missed, DQ_DONE);
	CHECK(!r.unasked);
	end();
}

static void stays(void)
{
	struct err e;

	begin(false, 0);
	check_int(rounds_begin(&r, &e), 0);
	check_int(rounds_next(&r, false), 0);
	check_int(rounds_next(&r, false), 1);
	rounds_stay(&r);
	check_int(rounds_next(&r, false), 1);
	check_int(rounds_next(&r, false), 2);
	end();
}

/* As a tool with --rotate: in a round it takes what it wants from queues that have `due` left.
 * Its calls, as shard:messages. */
static void takes(int wanted, int due[5], const char *want)
{
	char got[60] = "";
	struct err e;
	int i;

	check_int(rounds_begin(&r, &e), 0);
	while (wanted > 0 && (i = rounds_next(&r, false)) >= 0) {
		int share = rounds_share(&r, i, wanted), n = due[i] < share ? due[i] : share;
		size_t len = strlen(got);
		if (share == 0)
			continue;
		snprintf(got + len, sizeof got - len, "%s%d:%d", len ? " " : "", i, n);
		good(i, n, false, 0);
		due[i] -= n;
		wanted -= n;
	}
	check_text(got, want);
}

/* Each queue gets an equal share of what is wanted, over all rounds, too; each shard of a queue of
 * what the queue gets. */
static void rotates(void)
{
	int all[5] = {50, 50, 50, 50, 50}, some[5] = {50, 0, 2, 0, 50}, none[5] = {0, 0, 0, 0, 0};

	begin(false, 0);
	r.rotates = true;
	r.then = 0;
	takes(1, all, "0:1");
	takes(1, all, "3:1");
	takes(1, all, "4:1");
	takes(1, all, "0:1");
	takes(1, all, "1:1");
	takes(1, all, "4:1");
	takes(4, all, "0:2 2:1 4:1");
	takes(4, all, "3:2 4:1 0:1");
	takes(4, all, "4:2 0:1 1:1");
	takes(6, all, "0:2 2:2 4:2");
	takes(2, all, "0:1 3:1");
	takes(1, none, "4:0 0:0 1:0 2:0 3:0");
	takes(2, all, "4:1 0:1");
	takes(1, some, "1:0 2:1"); /* what has nothing does not count as served */
	takes(1, some, "4:1");
	takes(6, some, "0:2 3:0 1:0 2:1 4:3");
	takes(6, some, "0:2 3:0 1:0 2:0 4:4"); /* what a queue leaves, the next one gets */
	takes(6, some, "0:2 3:0 1:0 2:0 4:4");
	end();
}

/* A wait of its own is open: no call is useful until a mark comes,
 * unless its reply is due already. */
static void held(void)
{
	struct err e;

	begin(true, WAITER_READY);
	check_int(r.waiter.waits.count, 5);
	r.waiter.waits.all[0].block.open = r.waiter.waits.all[3].block.open = true;
	asks("124");
	CHECK(r.unasked);
	check_int(r.missed, DQ_DONE);
	check_int(rounds_begin(&r, &e), 0);
	check_int(rounds_next(&r, true), 0);
	r.waiter.waits.all[3].call_now = true;
	asks("3124");
	good(3, false, false, 0); /* its mark is used */
	asks("124");
	good(3, true, false, 0); /* there may be more */
	asks("2314");
	r.waiter.waits.all[0].block.open = r.waiter.waits.all[3].block.open = false;
	end();
}

static void away(void)
{
	static const struct {
		enum status status;
		enum fate fate;
		bool cluster;
		enum rounds_failure means;
	} rows[] = {
		{DQ_TEMPORARY, FATE_NOT_DONE, true, ROUNDS_AWAY},
		{DQ_TEMPORARY, FATE_UNKNOWN, true, ROUNDS_AWAY},
		{DQ_TEMPORARY, FATE_MOVING, true, ROUNDS_AWAY},
		{DQ_UNAVAILABLE, FATE_NOT_DONE, true, ROUNDS_AWAY},
		{DQ_INTERNAL, FATE_NOT_DONE, true, ROUNDS_ALL},
		{DQ_AUTH, FATE_NOT_DONE, true, ROUNDS_ALL},
		{DQ_STOPPED, FATE_UNKNOWN, true, ROUNDS_ALL},
		{DQ_TEMPORARY, FATE_NOT_DONE, false, ROUNDS_ALL},
		{DQ_UNAVAILABLE, FATE_NOT_DONE, false, ROUNDS_ALL},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		begin(rows[k].cluster, WAITER_READY);
		asks("01234");
		check_int(failed(2, rows[k].status, rows[k].fate), rows[k].means);
		check_int(r.missed, rows[k].means == ROUNDS_AWAY ? rows[k].status : DQ_DONE);
		if (rows[k].means == ROUNDS_AWAY) {
			check_text(r.missed_name, "b");
			/* a call is tried again soon */
			CHECK(rounds_time(&r) <= clock_us() + 1000000);
		}
		asks("02314");
		check_int(r.missed, DQ_DONE);
		end();
	}
}

/* b is partly created: its shards are not asked before the time comes, and the others are. */
static void partial(void)
{
	struct partial_queue *b;
	struct err e = {.text = "half"};

	begin(false, 0);
	b = &r.partial.all[1];
	*b = (struct partial_queue){.pause = 50, .retry_at = clock_ms() + 3600000, .shard = 2};
	CHECK(partial_news(&r.partial, 1, &e));
	asks("04");
	check_int(r.missed, DQ_TEMPORARY);
	check_text(r.missed_name, "b");
	CHECK(!rounds_unknown(&r, 2));
	check_int(rounds_time(&r) <= b->retry_at * 1000, true);
	b->retry_at = clock_ms();
	asks("02314");
	good(1, false, false, 0); /* not the shard that failed */
	good(3, false, false, ROUNDS_SERVED);
	good(3, false, false, 0);
	asks("03124");
	end();
}

/* Its time comes while its wait is open: it is asked all the same. */
static void partial_and_held(void)
{
	begin(true, WAITER_READY);
	r.partial.all[0] = (struct partial_queue){.pause = 50, .retry_at = clock_ms(), .shard = -1};
	r.waiter.waits.all[0].block.open = true;
	asks("01234");
	r.waiter.waits.all[0].block.open = false;
	end();
}

/* Another process made four shards of three: the tool makes its list anew when it can, and goes on
 * with the old one until then. */
static void changed(void)
{
	struct err e;

	begin(false, 0);
	asks("01234");
	check_int(shards_set(&wholes[1], 4, &e), 0);
	check_int(failed(2, DQ_TEMPORARY, FATE_SHARDS), ROUNDS_CHANGED);
	check_int(r.list.count, 5);
	check_int(rounds_regroup(&r, NULL, &e), 0);
	check_int(r.list.count, 6);
	check_int(rounds_next(&r, false), 0); /* from the first queue on */
	asks("012345");
	end();
}

static void says_once(void)
{
	begin(false, 0);
	CHECK(rounds_unknown(&r, 0));
	CHECK(!rounds_unknown(&r, 0));
	CHECK(!rounds_unknown(&r, 1)); /* of several shards: it exists */
	good(4, true, false, 0);
	CHECK(!rounds_unknown(&r, 4));
	good(0, false, true, ROUNDS_PAUSED);
	good(0, false, true, 0);
	good(0, false, false, 0);
	good(0, false, true, ROUNDS_PAUSED);
	good(1, false, true, 0);
	good(2, false, true, 0);
	good(3, false, true, ROUNDS_PAUSED); /* the last of its queue */
	end();
}

/* Other queues: what was known of the old ones is forgotten. None: a round without a call. */
static void other_queues(void)
{
	struct err e;

	begin(false, 0);
	r.each[0].broken = true;
	check_int(rounds_watch_these(&r, &wholes[2], 1, &e), 0);
	CHECK(!r.each[0].broken);
	asks("0");
	check_text(r.list.all[0].name, "c");
	check_int(rounds_watch_these(&r, wholes, 0, &e), 0);
	asks("");
	end();
}

int main(void)
{
	all_in_turn();
	stays();
	rotates();
	held();
	away();
	partial();
	partial_and_held();
	changed();
	says_once();
	other_queues();
	return unit_end();
}
