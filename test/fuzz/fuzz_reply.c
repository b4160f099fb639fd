/* Bytes of a server, through hiredis's reader and each of our decoders, to what the tools
 * print: whatever the server says, output keeps its form, and an answer that is not the
 * script's is an error.
 *
 * The first byte picks the decoder (the cases below). The rest is a line for each element:
 * ":NUMBER", "$TEXT" (escaped as text_tsv), "*COUNT", "_" nil, "~" a lost connection, any other
 * line as it is. So most inputs are well-formed, unlike bytes. */
#include "base/text.h"
#include "dq-stat/keys/rows.h"
#include "dq-stat/table/counts.h"
#include "dq-stat/describe.h"
#include "dq-take/format.h"
#include "fake.h"
#include "fuzz.h"
#include "json.h"
#include "dq-gc/audit.h"
#include "bulk/pipeline.h"
#include "queue/key_pauses.h"
#include "queue/questions.h"
#include "queue/settings.h"
#include "queue/queue_set.h"
#include "queue/registry.h"
#include "message/keyed.h"
#include "message/settle.h"
#include "message/take.h"
#include "redis/nodes.h"

/* resp turns the lines into the protocol. */
static void resp(struct buf *out, const char *s, size_t len)
{
	while (len > 0) {
		const char *end = memchr(s, '\n', len);
		size_t line = end ? (size_t)(end - s) : len;
		struct buf text = {0};

		if (*s == '$' && line > 1) {
			HOLDS(buf_add(&text, s + 1, line - 1) == 0);
			text.len = text_untsv(text.bytes, text.len);
			HOLDS(buf_format(out, "$%zu\r\n", text.len) == 0 &&
			      buf_add(out, text.bytes, text.len) == 0);
		} else if (*s == '$' && line == 1) {
			HOLDS(buf_text(out, "$0\r\n") == 0);
		} else if (*s == '_') {
			HOLDS(buf_text(out, "$-1") == 0);
		} else {
			HOLDS(buf_add(out, s, line) == 0);
		}
		buf_free(&text);
		HOLDS(buf_text(out, *s == '~' ? "\n" : "\r\n") == 0);
		len -= line + (end != NULL);
		s += line + (end != NULL);
	}
}

/* is_line: one line, without a byte that would pass for another one's. */
static void is_line(struct buf *b)
{
	HOLDS(b->len > 0 && memchr(b->bytes, '\n', b->len) == b->bytes + b->len - 1 &&
	      memchr(b->bytes, 0, b->len) == NULL);
	b->len = 0;
}

static void is_json(struct buf *b)
{
	HOLDS(b->len > 0 && buf_char(b, 0) == 0);
	b->len -= b->bytes[b->len - 2] == '\n' ? 2 : 1;
	b->bytes[b->len] = '\0';
	HOLDS(json_valid(b->bytes, b->len));
	b->len = 0;
}

static void failed(const struct err *e)
{
	HOLDS(e->text[0] != '\0' && fuzz_printable(e->text, strlen(e->text)));
	HOLDS(e->status == DQ_TEMPORARY || e->status == DQ_INTERNAL || e->status == DQ_AUTH ||
	      e->status == DQ_CONFIG || e->status == DQ_USAGE || e->status == DQ_UNAVAILABLE);
}

/* is_record: what dq-ack would read of it is a receipt. */
static void is_record(const struct buf *b)
{
	const char *tab = memchr(b->bytes, '\t', b->len);
	struct name name;
	struct err e;

	HOLDS(tab != NULL &&
	      name_parse(b->bytes, (size_t)(tab - b->bytes), NAME_RECEIPT, &name, &e) == 0);
}

static void taken(struct queue *q)
{
	const struct take_conf conf = {.count = 3, .ttr = -1, .promote = true};
	struct take t = {0};
	struct buf b = {0};
	struct err e;

	if (take_run(&t, q, &conf, NULL, &e) < 0) {
		failed(&e);
		take_free(&t);
		return;
	}
	HOLDS(t.count <= 3 && t.token[0] && strspn(t.token, "0123456789") == strlen(t.token));
	for (size_t i = 0; i < t.count; i++) {
		HOLDS(format_add(&b, FORMAT_TSV, q->name, &t, i, &e) == 0);
		is_record(&b);
		is_line(&b);
		HOLDS(format_add(&b, FORMAT_JSON, q->name, &t, i, &e) == 0);
		is_json(&b);
		if (format_add(&b, FORMAT_NUL, q->name, &t, i, &e) < 0)
			HOLDS(e.status == DQ_DATA);
		b.len = 0;
	}
	buf_free(&b);
	if (take_ack(&t, q, t.count, NULL, &e) < 0 || take_return(&t, q, 0, NULL, &e) < 0)
		failed(&e);
	take_free(&t);
}

static int on_listed(void *ctx, const struct listed *m)
{
	struct buf b = {0};

	HOLDS(describe_listed(&b, ctx, "dead", m, false) == 0);
	is_line(&b);
	HOLDS(describe_listed_json(&b, ctx, "dead", m) == 0);
	is_json(&b);
	buf_free(&b);
	return 0;
}

static void listed(struct queue *q)
{
	struct listing_position position = {{0}};
	struct listing_page page = {.call = {0}};
	int64_t n;
	struct err e;

	listing_begin(&page, q, "dead", 0, 3);
	if (listing_end(&page, q, "dead", on_listed, q->name, &n, &e) < 0)
		failed(&e);
	if (listing_next(q, "dead", &position, 3, true, on_listed, q->name, &n, &e) < 0)
		failed(&e);
	buf_free(&position.text);
}

static int on_keyed(void *ctx, const char *state, const struct listed *m)
{
	HOLDS(!state[0] || listing_state(state));
	return on_listed(ctx, m);
}

static void keyed(struct queue *q)
{
	struct err e;

	if (keyed_find(q, "a", on_keyed, q->name, &e) < 0)
		failed(&e);
}

static void key_list(struct queue *q)
{
	struct key_rows rows = {.count = 0};
	struct err e;

	if (key_rows_read(q, &rows, &e) < 0)
		failed(&e);
	for (size_t i = 0; i < rows.count; i++)
		HOLDS(!*rows.rows[i].key ||
		      name_key_valid(rows.rows[i].key, strlen(rows.rows[i].key)));
	key_rows_free(&rows);
}

static void shown(struct queue *q)
{
	struct shown s;
	struct buf b = {0};
	struct err e;

	if (listing_show(q, "id", true, &s, &e) < 0) {
		failed(&e);
	} else if (s.exists) {
		HOLDS(describe_shown(&b, q->name, "id", &s) == 0);
		/* KEY TAB VALUE, and nothing a terminal would obey */
		for (size_t i = 0, tabs = 0; i < b.len; i++) {
			tabs = b.bytes[i] == '\t' ? tabs + 1 : b.bytes[i] == '\n' ? 0 : tabs;
			HOLDS(tabs <= 1 && b.bytes[i] != '\0' && b.bytes[i] != '\r');
		}
		b.len = 0;
		HOLDS(describe_shown_json(&b, q->name, "id", &s) == 0);
		is_json(&b);
	}
	buf_free(&b);
	listing_shown_free(&s);
}

static void counted(struct queue *q)
{
	struct queue_counts c;
	struct table t = {.columns = COUNTS_COLUMNS};
	struct key_pauses pauses = {NULL, 0, 0};
	struct buf b = {0};
	struct err e;

	if (queue_stat(q, &c, &e) < 0) {
		failed(&e);
	} else {
		if (c.key_pauses && queue_key_pauses(q, c.now, &pauses, &e) < 0)
			failed(&e);
		for (size_t i = 0; i < pauses.count; i++)
			HOLDS(name_key_valid(key_pause_key(&pauses.list[i]),
					     strlen(key_pause_key(&pauses.list[i]))));

		HOLDS(counts_row(&t, q->name, &c) == 0 && table_write(&t, &b) == 0);
		is_line(&b);
		HOLDS(counts_json(&b, q->name, &c) == 0);
		is_json(&b);
	}
	table_free(&t);
	buf_free(&b);
	key_pauses_free(&pauses);
	queue_counts_free(&c);
}

static int on_name(void *ctx, const char *name)
{
	int *n = ctx;

	HOLDS(name_queue_valid(name, strlen(name)));
	return ++*n < 5 ? 0 : -1;
}

static int on_queue(void *ctx, struct queue *q)
{
	return on_name(ctx, q->name);
}

static void queues(struct queue *q)
{
	struct queue_set all;
	char *none[] = {NULL};
	int n = 0;
	struct err e;

	if (registry_each(q->x, "dq", on_name, &n, &e) < 0 && n < 5)
		failed(&e);
	n = 0;
	queue_set_init(&all, q->x, "dq");
	if (queue_set_each(&all, none, on_queue, &n, &e) < 0 && n < 5)
		failed(&e);
	queue_set_free(&all);
}

static int on_id(void *ctx, const char *id)
{
	int *n = ctx;

	HOLDS(strlen(id) < 100000);
	return ++*n < 5 ? 0 : -1;
}

static void moved(struct queue *q)
{
	struct queue_moved m;
	bool more, empty;
	int64_t n;
	int ids = 0;
	static const struct settings_wanted wanted = {.paused = "1", .max_leased = 1,
						      .max_len = SETTING_NONE, .rate = 5,
						      .rate_ms = 9, .keys = KEYS_SERIAL,
						      .key_limit = SETTING_STAYS};
	struct settings before;
	struct err e;

	if (queue_promote(q, 9, (struct held){HELD_TIME, 9}, &m, &e) < 0)
		failed(&e);
	if (settings_set(q, &wanted, &before, &e) < 0)
		failed(&e);
	if (queue_purge(q, 1, false, 0, on_id, &ids, &n, &more, &empty, &e) < 0 && ids < 5)
		failed(&e);
}

static int on_fault(void *ctx, const struct audit_fault *f)
{
	int *n = ctx;

	HOLDS(f->id != NULL && f->fault != NULL && strlen(f->id) <= f->id_len);
	return ++*n < 5 ? 0 : -1;
}

static void audited(struct queue *q)
{
	struct audit_sum sum;
	int n = 0;
	struct err e;

	if (audit_walk(q, NULL, true, on_fault, &n, &sum, &e) < 0 && n < 5)
		failed(&e);
	HOLDS(sum.faults >= n);
}

static void settled(struct queue *q)
{
	const struct settle_call how = settle_call(SETTLE_RETRY, "", "x");
	enum settle_letter letter;
	struct err e;

	if (settle_run(q, &how, "id", "1", NULL, &letter, &e) < 0)
		failed(&e);
}

#define ITEMS 600 /* three calls */

struct told {
	size_t answered, refused;
};

static void on_result(void *ctx, const struct pipeline_result *r)
{
	struct told *told = ctx;
	char want[16];

	snprintf(want, sizeof want, "%zu", r->number);
	HOLDS(!strcmp(r->id, want) && !strcmp(r->second, "due"));
	told->answered++;
}

static void on_refused(void *ctx, const struct queue *q, size_t n, const struct err *e)
{
	struct told *told = ctx;

	(void)q;
	failed(e);
	told->refused += n;
}

/* Each item is told of once, in order, or counted. */
static void bulk(struct queue *q)
{
	struct told told = {0};
	const struct pipeline_conf conf = {.script = &script_put, .width = 3, .once = 2,
					   .fixed_count = 4, .fixed = {"", "fail", "100", ""},
					   .repeat_at = 1, .repeat = "repeat", .lists = true,
					   .letters = put_letters, .each = on_result,
					   .refused = on_refused, .ctx = &told};
	struct pipeline b;
	struct err e;
	int status = 0;

	pipeline_init(&b, q->x, &conf);
	size_t i;
	for (i = 0; i < ITEMS && status == 0; i++) {
		char id[16];
		const char *texts[] = {id, "due", "\n"};
		const size_t lens[] = {(size_t)snprintf(id, sizeof id, "%zu", i), 3, 1};
		status = pipeline_add(&b, q, texts, lens, &e);
	}
	if (status == 0)
		status = pipeline_finish(&b, &e);
	if (status < 0) {
		failed(&e);
		pipeline_wind_up(&b, &e);
	}
	HOLDS(told.answered + told.refused + b.unanswered + b.unsent == i);
	pipeline_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		char letter;
		void (*decode)(struct queue *q);
	} decoders[] = {{'t', taken}, {'l', listed}, {'k', keyed}, {'K', key_list}, {'s', shown},
			{'c', counted}, {'q', queues}, {'m', moved}, {'a', audited}, {'r', settled},
			{'b', bulk}};
	struct buf bytes = {0};
	struct exchange x;
	struct queue q;

	if (size < 1)
		return 0;
	resp(&bytes, (const char *)data + 1, size - 1);
	fake_open(&x, bytes.bytes, bytes.len);
	queue_init(&q, &x, "dq", "q");
	for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
		if (decoders[i].letter == data[0])
			decoders[i].decode(&q);
	queue_free(&q);
	exchange_close(&x);
	buf_free(&bytes);
	return 0;
}
