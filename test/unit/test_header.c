#include "message/header.h"

#include "queue/queue.h"
#include "unit.h"

static const struct header_options defaults = {.ttr = QUEUE_TTR_MS, .tries = QUEUE_TRIES,
					       .priority = QUEUE_PRIORITY};

static void written(const struct header_options *o, const char *want)
{
	struct buf b = {0};

	check_int(header_write(o, &b), 0);
	check_bytes(b.bytes, b.len, want, strlen(want));
	buf_free(&b);
}

static void writes_what_differs(void)
{
	struct header_options all = {.ttr = 1, .tries = 2, .priority = 0, .unique = 3,
				     .backoff = "0,5"};
	struct header_options one = defaults;

	written(&defaults, "\n");
	written(&all, "b=0,5 p=0 r=2 t=1 u=3\n");
	all.expires = true;
	written(&all, " b=0,5 p=0 r=2 t=1 u=3\n");
	one.priority = 255;
	written(&one, "p=255\n");
	one.expires = true;
	written(&one, " p=255\n");
	one = defaults;
	one.expires = true;
	written(&one, "\n");
	one.traceparent = "P";
	written(&one, " c=P\n");
	all.traceparent = "P";
	all.tracestate = "a=% ,b=2";
	written(&all, " b=0,5 c=P p=0 r=2 s=a=%25%20,b=2 t=1 u=3\n");
}

/* What one wrote the other reads. */
static void reads_what_it_wrote(void)
{
	const struct header_options o = {.ttr = 7, .tries = 8, .priority = 9, .unique = 10,
					 .backoff = "exp:1000..2000"};
	struct buf record = {0};
	const char *payload;
	struct header h;
	size_t len;

	check_int(header_write(&o, &record), 0);
	check_int(buf_text(&record, "pay\nload"), 0);
	len = header_split(record.bytes, record.len, &payload);
	check_bytes(payload, record.len - (size_t)(payload - record.bytes), "pay\nload", 8);
	header_read(&h, record.bytes, len);
	check_int(h.ttr, 7);
	check_int(h.tries, 8);
	check_int(h.unique, 10);
	check_int(h.expires, -1);
	check_bytes(h.backoff, h.backoff_len, "exp:1000..2000", 14);
	buf_free(&record);
}

#define PARENT "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

/* want_parent NULL: none. */
static void traced(const char *header, const char *want_parent, const char *want_state)
{
	struct trace t;

	header_trace(&t, header, strlen(header));
	check_row((t.parent != NULL) == (want_parent != NULL), header);
	if (t.parent && want_parent)
		check_bytes(t.parent, t.parent_len, want_parent, strlen(want_parent));
	check_text(t.state, want_state);
}

static void traces(void)
{
	char long_state[2000] = "c=" PARENT " s=a=";

	traced("", NULL, "");
	traced("c=" PARENT, PARENT, "");
	traced("b=1 c=" PARENT " s=a=1,b=x%20%25y t=5", PARENT, "a=1,b=x %y");
	traced("s=a=1", NULL, "");
	traced("c=00-1 s=a=1", NULL, "");
	traced("c=" PARENT " s=a", PARENT, "");
	traced("c=" PARENT " s=a=%0a", PARENT, "");
	traced("c=" PARENT " s=a=%2", PARENT, "");
	traced("c=" PARENT " s=a=%00", PARENT, "");
	traced("c=" PARENT " s=a=%3d", PARENT, "");
	memset(long_state + strlen(long_state), 'x', 1900);
	traced(long_state, PARENT, "");
}

/* A state of any valid characters comes back as it was. */
static void state_returns(void)
{
	const struct header_options o =
		{.ttr = QUEUE_TTR_MS, .tries = QUEUE_TRIES, .priority = QUEUE_PRIORITY,
		 .traceparent = PARENT, .tracestate = "k=%% %20 !\"#$&'()*+-./:;<>?@[]^_`{|}~,l=%"};
	struct buf b = {0};
	struct trace t;

	check_int(header_write(&o, &b), 0);
	header_trace(&t, b.bytes, b.len - 1);
	check_text(t.state, o.tracestate);
	buf_free(&b);
}

static void split(const char *record, size_t want, const char *want_payload)
{
	const char *payload;

	check_int((int64_t)header_split(record, strlen(record), &payload), (int64_t)want);
	check_text(payload, want_payload);
}

static void splits(void)
{
	split("", 0, "");
	split("\n", 0, "");
	split("no line", 0, "no line");
	split("\npay", 0, "pay");
	split("r=1\npay\n", 3, "pay\n");
}

/* The rest is compared with the scripts: test/scripts/header.bats. */
static void reads_nonsense_as_absent(void)
{
	static const char text[] = "r=7x t=0 x=-1 u= b=1,,2";
	struct header h;

	header_read(&h, text, sizeof text - 1);
	check_int(h.ttr, QUEUE_TTR_MS);
	check_int(h.tries, QUEUE_TRIES);
	check_int(h.expires, -1);
	check_int(h.unique, 0);
	check_bytes(h.backoff, h.backoff_len, QUEUE_BACKOFF, strlen(QUEUE_BACKOFF));
	check_int(header_is_exp(&h), 0);
}

static void intervals(const char *schedule, bool is_exp, const char *want)
{
	struct buf text = {0}, got = {0};
	struct header h;
	size_t at = 0;
	int64_t ms;

	check_int(buf_format(&text, "b=%s", schedule), 0);
	header_read(&h, text.bytes, text.len);
	check_int(header_is_exp(&h), is_exp);
	while (header_interval(&h, &at, &ms))
		check_int(buf_format(&got, "%lld ", (long long)ms), 0);
	check_bytes(got.bytes, got.len, want, strlen(want));
	buf_free(&text);
	buf_free(&got);
}

static void schedule(const char *text, const char *want, int64_t tries)
{
	struct buf b = {0};
	struct err e;

	check_int(header_backoff(text, &b, &e), 0);
	check_bytes(b.bytes, b.len, want, strlen(want) + 1);
	check_int(header_tries(b.bytes), tries);
	intervals(b.bytes, !strncmp(want, "exp:", 4),
		  !strncmp(want, "exp:", 4) ? "1000 3600000 " : "0 1500 60000 ");
	buf_free(&b);
}

static void schedule_refused(const char *text)
{
	struct buf b = {0};
	struct err e = {.status = DQ_DONE};

	check_row(header_backoff(text, &b, &e) < 0 && e.status == DQ_USAGE, text);
	buf_free(&b);
}

static void schedules(void)
{
	schedule("0,1.5s,1m", "0,1500,60000", 4);
	schedule("exp:1s..1h", "exp:1000..3600000", QUEUE_TRIES);
	check_int(header_tries(NULL), QUEUE_TRIES);
	schedule_refused("");
	schedule_refused("1s,");
	schedule_refused("exp:1s");
	schedule_refused("exp:0..1s");
	schedule_refused("exp:2s..1s");
	schedule_refused("1s,yesterday");
}

int main(void)
{
	writes_what_differs();
	reads_what_it_wrote();
	splits();
	traces();
	state_returns();
	reads_nonsense_as_absent();
	schedules();
	return unit_end();
}
