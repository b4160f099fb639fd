/* What session reports of a connection that is lost: each reason once, whatever it says,
 * until the server answers again. */
#include "base/clock.h"
#include "redis/session.h"
#include "unit.h"

enum { PAIRS = 1000 };

static int reports, backs;

static void count(const struct session *s, enum session_event event, const char *object,
		  const struct err *e)
{
	(void)s;
	(void)object;
	(void)e;
	reports += event == SESSION_LOST;
	backs += event == SESSION_BACK;
}

static void lose(struct session *s, const char *why)
{
	struct err e;

	err_set(&e, DQ_UNAVAILABLE, "%s", why);
	session_lost(s, NULL, &e);
}

static char letter(int i)
{
	return (char)('a' + i % 26);
}

static void each_once(void)
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000,
				       .wait = {1000, 0, -1}};
	struct conn c;
	struct session s = {.conn = &c, .report = count};

	conn_init(&c, &conf);
	for (int i = 0; i < PAIRS; i++) {
		const char path[] = {'/', letter(i), letter(i / 26), letter(i / 676), '\0'};

		reports = 0;
		for (int turn = 0; turn < 3; turn++) {
			lose(&s, "connection refused");
			lose(&s, path);
		}
		check_int(reports, 2);
		session_answered(&s);
	}
}

static void many(void)
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000,
				       .wait = {1000, 0, -1}};
	struct conn c;
	struct session s = {.conn = &c, .report = count};

	conn_init(&c, &conf);
	reports = 0;
	for (int i = 0; i < 26; i++)
		lose(&s, (const char[]){letter(i), '\0'});
	check_int(reports, 26);
	for (int i = 26 - REASONS_MAX; i < 26; i++)
		lose(&s, (const char[]){letter(i), '\0'});
	check_int(reports, 26);
	lose(&s, "a");
	check_int(reports, 27);
}

/* steadily: the server answers, hangs up at once, and lasts at the end. */
static void steadily(void)
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000,
				       .wait = {1000, 0, -1}};
	struct conn c;
	struct session s = {.conn = &c, .report = count};

	conn_init(&c, &conf);
	reports = backs = 0;
	for (int i = 0; i < 12; i++) {
		c.opened_at = clock_ms();
		lose(&s, "connection closed by the server");
		CHECK(s.pause >= (i < 7 ? 20 << i : 2000));
		c.opened_at = clock_ms();
		session_answered(&s);
		check_int(s.pause, 0);
		check_int(reports, i == 0 ? 1 : 2);
		check_int(backs, 1);
	}
	c.opened_at = clock_ms() - SESSION_LASTS;
	session_answered(&s);
	check_int(backs, 2);
	lose(&s, "connection closed by the server");
	check_int(s.pause, 20);
	check_int(reports, 3);
}

int main(void)
{
	steadily();
	each_once();
	many();
	return unit_end();
}
