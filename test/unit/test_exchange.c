/* What becomes of a call: its states, by the reply and by its policy.
 * The peer is one end of a socket pair. */
#include <fcntl.h>
#include <hiredis.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/durability.h"
#include "redis/exchange.h"
#include "redis/reply.h"
#include "redis/script.h"
#include "unit.h"

static int peer;

static void connected(struct exchange *x)
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000,
				       .wait = {1000, 0, -1}};
	struct conn *c;
	int fds[2];

	check_int(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	check_int(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	exchange_init(x, &conf);
	c = &x->nodes.root.conn;
	c->redis = redisConnectFd(fds[0]);
	c->redis->flags &= ~REDIS_BLOCK;
	c->limit = reply_limit(c->redis->reader);
	c->greeted = c->got_reply = true;
	c->opened = 1;
	peer = fds[1];
}

static void begin(struct exchange *x, struct call *call, const char *word, enum call_loss loss,
		  const void *lane)
{
	call_plain(call, word);
	call_key(call, "q", 1);
	call->loss = loss;
	call->lane = lane;
	exchange_add(x, call, NULL);
}

static void says(const char *bytes)
{
	check_int(write(peer, bytes, strlen(bytes)), (int64_t)strlen(bytes));
}

enum {
	LANE = 1, HURRIED = 2, TOOL = 4, HOSTS = 8, LOST = 16, READS = 32, FAILS = 64, SCRIPT = 128,
	PATIENT = 256
};

static const struct {
	const char *reply; /* "": the peer ends the connection */
	enum call_loss loss;
	unsigned how;      /* LANE, HURRIED, READS, SCRIPT: the call; TOOL: the tool repeats;
	                    * HOSTS: the URL has several; LOST: the connection was lost before;
	                    * FAILS: calls for a slot that is being moved fail; PATIENT: the
	                    * exchange tries again */
	enum call_state state;
	enum fate fate;
} table[] = {
	{"+OK\r\n", LOSS_FAILS, 0, CALL_OVER, FATE_NOT_DONE},
	{"-ERR no\r\n", LOSS_REPEATS, 0, CALL_OVER, FATE_UNKNOWN},
	{"-ERR no\r\n", LOSS_FAILS, READS, CALL_OVER, FATE_NOT_DONE},
	{"-DQSHARDS 3\r\n", LOSS_REPEATS, 0, CALL_OVER, FATE_SHARDS},
	{"-NOSCRIPT x\r\n", LOSS_FAILS, SCRIPT, CALL_SENT, 0},

	/* a starting server */
	{"-LOADING x\r\n", LOSS_REPEATS, 0, CALL_OVER, FATE_NOT_DONE}, /* no loss came before */
	{"-LOADING x\r\n", LOSS_REPEATS, LOST, CALL_WAITS, 0},
	{"-LOADING x\r\n", LOSS_ONCE, LOST, CALL_WAITS, 0},
	{"-LOADING x\r\n", LOSS_FAILS, LOST, CALL_OVER, FATE_NOT_DONE},
	{"-LOADING x\r\n", LOSS_REPEATS, LOST | HURRIED, CALL_OVER, FATE_NOT_DONE},

	/* no master any more */
	{"-READONLY x\r\n", LOSS_FAILS, 0, CALL_OVER, FATE_NOT_DONE},
	{"-READONLY x\r\n", LOSS_FAILS, HOSTS, CALL_WAITS, 0},
	{"-READONLY x\r\n", LOSS_FAILS, HOSTS | TOOL, CALL_OVER, FATE_NOT_DONE},
	{"-READONLY x\r\n", LOSS_ONCE, HOSTS | TOOL, CALL_WAITS, 0},
	{"-READONLY x\r\n", LOSS_REPEATS, HOSTS | LANE, CALL_WAITS, 0},
	{"-READONLY x\r\n", LOSS_REPEATS, HOSTS | HURRIED, CALL_OVER, FATE_NOT_DONE},

	/* a cluster */
	{"-TRYAGAIN x\r\n", LOSS_FAILS, 0, CALL_WAITS, 0},
	{"-TRYAGAIN x\r\n", LOSS_REPEATS, LANE, CALL_WAITS, 0},
	{"-TRYAGAIN x\r\n", LOSS_REPEATS, LANE | HURRIED, CALL_OVER, FATE_NOT_DONE},
	{"-TRYAGAIN x\r\n", LOSS_FAILS, SCRIPT | FAILS, CALL_OVER, FATE_MOVING},
	{"-TRYAGAIN x\r\n", LOSS_REPEATS, SCRIPT | FAILS | LANE, CALL_WAITS, 0},
	{"-CLUSTERDOWN x\r\n", LOSS_FAILS, 0, CALL_WAITS, 0},
	{"-CLUSTERDOWN x\r\n", LOSS_FAILS, SCRIPT | FAILS, CALL_WAITS, 0},
	{"-MOVED 1 127.0.0.1:1\r\n", LOSS_FAILS, 0, CALL_WAITS, 0},
	{"-MOVED 1 127.0.0.1:1\r\n", LOSS_REPEATS, LANE | HURRIED, CALL_WAITS, 0}, /* at once */
	{"-ASK 1 127.0.0.1:1\r\n", LOSS_ONCE, 0, CALL_WAITS, 0},
	{"-MOVED 1 nowhere\r\n", LOSS_FAILS, 0, CALL_OVER, FATE_NOT_DONE},

	/* the connection is lost */
	{"", LOSS_FAILS, 0, CALL_OVER, FATE_UNKNOWN},
	{"", LOSS_FAILS, READS, CALL_OVER, FATE_NOT_DONE},
	{"", LOSS_ONCE, 0, CALL_OVER, FATE_UNKNOWN},
	{"", LOSS_REPEATS, 0, CALL_WAITS, 0},
	{"", LOSS_REPEATS, LANE, CALL_WAITS, 0},
	{"", LOSS_REPEATS, HURRIED, CALL_OVER, FATE_UNKNOWN},

	/* patience */
	{"-LOADING x\r\n", LOSS_FAILS, PATIENT, CALL_WAITS, 0},
	{"-BUSY x\r\n", LOSS_FAILS, PATIENT, CALL_WAITS, 0},
	{"-READONLY x\r\n", LOSS_ONCE, PATIENT, CALL_WAITS, 0},
	{"-OOM x\r\n", LOSS_REPEATS, 0, CALL_OVER, FATE_NOT_DONE},
	{"-OOM x\r\n", LOSS_REPEATS, PATIENT | LANE, CALL_WAITS, 0},
	{"-OOM x\r\n", LOSS_REPEATS, PATIENT | HURRIED, CALL_OVER, FATE_NOT_DONE},
	{"-OOM x\r\n", LOSS_FAILS, PATIENT | TOOL, CALL_OVER, FATE_NOT_DONE},
	{"-NOPERM x\r\n", LOSS_REPEATS, PATIENT, CALL_OVER, FATE_NOT_DONE},
	{"-ERR no\r\n", LOSS_REPEATS, PATIENT, CALL_OVER, FATE_UNKNOWN},
	{"-DQSHARDS 3\r\n", LOSS_REPEATS, PATIENT, CALL_OVER, FATE_SHARDS},
	{"", LOSS_FAILS, PATIENT, CALL_OVER, FATE_UNKNOWN},
	{"", LOSS_FAILS, PATIENT | READS, CALL_WAITS, 0},
	{"", LOSS_FAILS, PATIENT | READS | TOOL, CALL_OVER, FATE_NOT_DONE},
	{"", LOSS_ENDS, PATIENT | READS, CALL_OVER, FATE_NOT_DONE},
};

/* add begins the call of a row. */
static void add(struct exchange *x, struct call *call, size_t i)
{
	unsigned how = table[i].how;

	if (how & SCRIPT)
		call_start_on(call, &script_mark, "q", "r");
	else
		call_plain(call, "GET");
	if (!(how & SCRIPT))
		call_key(call, "q", 1);
	call->loss = table[i].loss;
	call->reads = how & READS;
	call->hurried = how & HURRIED;
	call->lane = how & LANE ? &table[i] : NULL;
	x->tool_repeats = how & TOOL;
	x->conf->retry_for = how & PATIENT ? 1000 : 0;
	x->nodes.root.conn.several = how & HOSTS;
	x->nodes.root.lost_at = how & LOST ? clock_ms() : 0;
	x->nodes.moving = how & FAILS ? MOVING_FAILS : MOVING_WAITS;
	exchange_add(x, call, NULL);
}

static void outcomes(void)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct call call = {0};
		struct exchange x;
		struct err e;
		char row[80];
		snprintf(row, sizeof row, "%zu: %.30s", i, table[i].reply);
		connected(&x);
		add(&x, &call, i);
		check_int(call.state, CALL_SENT);
		exchange_push(&x);
		if (table[i].reply[0])
			says(table[i].reply);
		else
			close(peer);
		check_int(exchange_step(&x, NULL, &e), 0);
		check_row(call.state == table[i].state, row);
		if (call.state == CALL_OVER && exchange_result(&call, &e) < 0)
			check_row(e.fate == table[i].fate, row);
		check_row((x.first == NULL) == (call.state == CALL_OVER), row);
		call_free(&call);
		CHECK(x.first == NULL);
		exchange_close(&x);
		if (table[i].reply[0])
			close(peer);
	}
}

/* lane: a refused call keeps those behind it, and no others. */
static void lanes(void)
{
	struct call a = {0}, b = {0}, c = {0}, other = {0};
	struct exchange x;
	struct err e;
	int lane = 0;

	connected(&x);
	begin(&x, &a, "A", LOSS_REPEATS, &lane);
	begin(&x, &b, "B", LOSS_REPEATS, &lane);
	begin(&x, &other, "O", LOSS_REPEATS, NULL);
	says("-TRYAGAIN x\r\n");
	check_int(exchange_step(&x, NULL, &e), 0);
	begin(&x, &c, "C", LOSS_REPEATS, &lane);
	check_int(a.state, CALL_WAITS);
	check_int(c.state, CALL_WAITS);
	says("-TRYAGAIN x\r\n+O\r\n");
	check_int(exchange_wait(&other, NULL, &e), 0);
	check_int(a.state, CALL_WAITS);
	check_int(exchange_step(&x, NULL, &e), 0); /* until its pause is over */
	exchange_push(&x);
	check_int(a.state, CALL_SENT); /* alone: it may be refused again */
	check_int(b.state, CALL_WAITS);
	says("+A\r\n");
	check_int(exchange_wait(&a, NULL, &e), 0);
	exchange_push(&x);
	says("+B\r\n+C\r\n");
	check_int(exchange_wait(&c, NULL, &e), 0);
	check_int(b.state, CALL_OVER);
	call_free(&a), call_free(&b), call_free(&c), call_free(&other);
	exchange_close(&x);
	close(peer);
}

/* dropped: the reply to a call that is gone is read, and not taken for another. */
static void dropped(void)
{
	struct call a = {0}, b = {0};
	struct exchange x;
	struct err e;

	connected(&x);
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	begin(&x, &b, "B", LOSS_FAILS, NULL);
	call_free(&a);
	says("+A\r\n+B\r\n");
	check_int(exchange_wait(&b, NULL, &e), 0);
	check_text(b.reply->str, "B");
	call_free(&b);
	exchange_close(&x);
	close(peer);
}

/* together: what goes before a call belongs to it: the first of their errors is the reply. */
static void together(void)
{
	static const char *const replies[][2] = {
		{"+1\r\n+2\r\n", ""}, {"-ERR one\r\n-ERR two\r\n", "ERR one"},
		{"+1\r\n-ERR two\r\n", "ERR two"},
	};

	for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
		struct call first = {0}, last = {0};
		struct exchange x;
		struct err e;
		connected(&x);
		call_plain(&first, "MULTI");
		call_plain(&last, "EXEC");
		last.before = &first;
		exchange_add(&x, &last, NULL);
		says(replies[i][0]);
		check_int(exchange_wait(&last, NULL, &e), replies[i][1][0] ? -1 : 0);
		check_text(last.reply->str, replies[i][1][0] ? replies[i][1] : "2");
		call_free(&last), call_free(&first);
		exchange_close(&x);
		close(peer);
	}
}

/* late: a reply that does not come in time ends the connection, and with it all its calls. */
static void late(void)
{
	const struct wait soon = {20, 0, -1, NULL};
	struct call a = {0}, b = {0};
	struct exchange x;
	struct err e;

	connected(&x);
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	begin(&x, &b, "B", LOSS_REPEATS, NULL);
	exchange_push(&x);
	check_int(exchange_wait(&a, &soon, &e), -1);
	check_int(e.fate, FATE_UNKNOWN);
	CHECK(x.nodes.root.conn.redis == NULL);
	check_int(b.state, CALL_WAITS);
	CHECK(b.repeated);
	call_free(&a), call_free(&b);
	exchange_close(&x);
	close(peer);
}

static void begin_confirmed(struct exchange *x, struct call *call, struct durability *d)
{
	static struct name_keys keys;

	name_keys("dq", "q", 0, &keys);
	x->conf->durable = (struct durable) {.replicas = 1, .ms = 1000};
	call_start(call, &script_mark, &keys);
	call_text(call, "");
	call->confirms = d;
	exchange_add(x, call, NULL);
}

/* crowd: a call that has its reply may be followed by two requests that confirm it. There is room
 * for those of all calls. */
static void crowd(void)
{
	static struct call calls[200];
	static struct durability confirms[200];
	struct exchange x;
	struct err e;

	connected(&x);
	x.nodes.root.conn.known = 0; /* so no call is followed by them at once */
	for (int i = 0; i < 200; i++)
		begin_confirmed(&x, &calls[i], &confirms[i]);
	exchange_push(&x);
	for (int i = 0; i < 80; i++) {
		says(":1\r\n");
		check_int(exchange_step(&x, NULL, &e), 0);
	}
	CHECK(x.nodes.root.conn.redis != NULL);
	for (int i = 0; i < 200; i++)
		CHECK(calls[i].state == CALL_SENT || calls[i].state == CALL_WAITS);
	for (int i = 0; i < 200; i++) {
		call_free(&calls[i]);
		durability_free(&confirms[i]);
	}
	exchange_close(&x);
	close(peer);
}

/* unconfirmed: it has its reply, and the connection ends before that is confirmed: a failover
 * may lose it. */
static void unconfirmed(void)
{
	struct durability d = {0};
	struct call a = {0};
	struct exchange x;
	struct err e;

	connected(&x);
	x.nodes.root.conn.known = 0;
	begin_confirmed(&x, &a, &d);
	exchange_push(&x);
	says(":1\r\n");
	close(peer);
	for (int i = 0; i < 4 && a.state == CALL_SENT; i++)
		check_int(exchange_step(&x, NULL, &e), 0);
	check_int(a.state, CALL_OVER);
	check_int(exchange_result(&a, &e), -1);
	check_int(e.fate, FATE_UNKNOWN);
	call_free(&a);
	durability_free(&d);
	exchange_close(&x);
}

/* stopped: a signal ends the waiting, not the call. */
static void stopped(void)
{
	struct call a = {0};
	struct exchange x;
	struct err e;
	int fds[2];

	check_int(pipe(fds), 0);
	check_int(write(fds[1], "x", 1), 1);
	connected(&x);
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	check_int(exchange_wait(&a, &(struct wait){1000, 0, fds[0], NULL}, &e), -1);
	check_int(e.status, DQ_STOPPED);
	check_int(a.state, CALL_SENT);
	says("+A\r\n");
	check_int(exchange_wait(&a, NULL, &e), 0);
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	check_int(exchange_end(&a, &(struct wait){1000, 0, fds[0], NULL}, &e), -1);
	check_int(a.state, CALL_MADE);
	check_int(e.fate, FATE_UNKNOWN);
	CHECK(x.nodes.root.conn.redis == NULL); /* its reply must not be taken for another */
	call_free(&a);
	exchange_close(&x);
	close(peer), close(fds[0]), close(fds[1]);
}

/* back: any reply but "later" shows that a lost server is back,
 * so another loss has its whole time again. */
static void back(void)
{
	static const char *const replies[] = {"+OK\r\n", "-ERR no\r\n", "-MOVED 1 127.0.0.1:1\r\n",
					      "-TRYAGAIN x\r\n", "-LOADING x\r\n"};

	for (int i = 0; i < 5; i++) {
		struct call a = {0};
		struct exchange x;
		struct err e;
		connected(&x);
		check_int(nodes_make(&x.nodes), 0);
		begin(&x, &a, "A", LOSS_REPEATS, NULL);
		x.nodes.root.lost_at = clock_ms();
		says(replies[i]);
		check_int(exchange_step(&x, NULL, &e), 0);
		check_row((x.nodes.root.lost_at == 0) == (i < 4), replies[i]);
		call_free(&a);
		exchange_close(&x);
		close(peer);
	}
}

/* refuses: a process that replies to each request that its slot is being moved. */
static pid_t refuses(void)
{
	char bytes[500];
	pid_t child = fork();

	while (child == 0 && read(peer, bytes, sizeof bytes) > 0)
		says("-TRYAGAIN x\r\n");
	if (child == 0)
		_exit(0);
	close(peer);
	return child;
}

/* over: the time of the wait ends a call that is refused again and again, too. */
static void over(void)
{
	struct call a = {0};
	struct exchange x;
	struct err e;
	pid_t child;

	connected(&x);
	child = refuses();
	x.conf->wait.timeout = 3600000;
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	check_int(exchange_end(&a, &(struct wait){3600000, clock_ms() + 120, -1, NULL}, &e), -1);
	/* refused for the last time, or its reply did not come in time */
	CHECK(a.state == CALL_OVER);
	call_free(&a);
	exchange_close(&x);
	kill(child, SIGKILL); /* it has a copy of our end, too */
	waitpid(child, NULL, 0);
}

/* steps: another call that is to be sent soon, and again, does not make a reply due later. */
static void steps(void)
{
	struct call a = {0}, b = {0};
	struct exchange x;
	struct err e;

	connected(&x);
	check_int(nodes_make(&x.nodes), 0);
	x.conf->wait.timeout = 200;
	begin(&x, &a, "A", LOSS_FAILS, NULL);
	begin(&x, &b, "B", LOSS_REPEATS, NULL);
	conn_forget(&x.nodes.root.conn, &b);
	while (a.state == CALL_SENT) {
		b.state = CALL_WAITS;
		b.retry_at = clock_ms() + 20;
		check_int(exchange_step(&x, NULL, &e), 0);
	}
	check_int(a.state, CALL_OVER);
	call_free(&a), call_free(&b);
	exchange_close(&x);
	close(peer);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as all tools do */
	alarm(60); /* a call in the wrong state may wait for ever */
	outcomes();
	together();
	late();
	crowd();
	unconfirmed();
	stopped();
	back();
	over();
	steps();
	lanes();
	dropped();
	return unit_end();
}
