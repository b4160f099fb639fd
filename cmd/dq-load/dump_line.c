#include "dump_line.h"

#include <string.h>

#include "base/base64.h"
#include "json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "message/header.h"
#include "message/load_place.h"
#include "message/settle.h"
#include "queue/limit.h"
#include "queue/shards.h"

/* The members that a line may have. dq-load ignores the last ones, which dq-stat writes. */
enum member {
	KIND, QUEUE, ID, STATE, DUE, LEASE_UNTIL, DIED, TRIES, GIVEN_BACK, REASON, REASON_BASE64,
	AGAIN, FIRST_DUE, FAILURES, MAX_TRIES, TTR, PRIORITY, BACKOFF, BACKOFF_EXP, EXPIRES, UNIQUE,
	TRACEPARENT, TRACESTATE, PAYLOAD, PAYLOAD_BASE64, RESERVED_UNTIL, DUMP, PAUSED,
	PAUSED_UNTIL, MAX_LEASED, RATE, MAX_LEN, SERVED, KEY_LIMIT, SHARDS, TOKEN, MESSAGES,
	RESERVED, KEEP, OUTCOME, ENDED, RESULT, RESULT_BASE64, QUEUES, KEY, NOW, NAME, SIZE,
	PAUSED_KEYS, MEMBERS
};

static const char *const keys[MEMBERS + 1] = {
	"kind", "queue", "id", "state", "due_ms", "lease_until_ms", "died_ms", "tries",
	"given_back", "reason", "reason_base64", "again_ms", "first_due_ms", "failures",
	"max_tries", "ttr_ms", "priority", "backoff_ms", "backoff_exp_ms", "expires_ms",
	"unique_ms", "traceparent", "tracestate", "payload", "payload_base64", "reserved_until_ms",
	"dump", "paused", "paused_until_ms", "max_leased", "rate", "max_len", "keys", "key_limit",
	"shards", "token", "messages", "reserved", "keep_ms", "outcome", "ended_ms", "result",
	"result_base64", "queues", "key", "now_ms", "name", "size", "paused_keys", NULL};

#define TOKEN_MAX (HEADER_SPAN * 1000) /* us */
#define COUNT_MAX INT64_C(9007199254740991)

static bool is_none(const struct json *v)
{
	return v->kind == JSON_ABSENT || v->kind == JSON_NULL;
}

/* number reads a member that is a number from min to max. Without the member, *n is otherwise;
 * otherwise < -1: the member is required. */
static int number(const struct json v[], enum member m, int64_t min, int64_t max, int64_t otherwise,
		  int64_t *n, struct err *e)
{
	if (is_none(&v[m]) && otherwise >= -1) {
		*n = otherwise;
		return 0;
	}
	if (is_none(&v[m]))
		return err_set(e, DQ_DATA, "%s: none", keys[m]);
	if (v[m].kind != JSON_NUMBER || v[m].number < min || v[m].number > max)
		return err_set(e, DQ_DATA, "%s: not a number from %lld to %lld", keys[m],
			       (long long)min, (long long)max);
	*n = v[m].number;
	return 0;
}

#define NEEDED (-2)

static bool is_word(const struct json *v, const char *word)
{
	return v->kind == JSON_TEXT && strlen(word) == v->len && !memcmp(word, v->text, v->len);
}

static const char *shown_value(const struct json *v, char shown[80])
{
	return v->kind == JSON_TEXT ? text_shown(shown, 80, v->text, v->len) : "";
}

static int moment(const struct json v[], enum member m, int64_t otherwise, int64_t *ms,
		  struct err *e)
{
	return number(v, m, 0, HEADER_SPAN - 1, otherwise, ms, e);
}

static int name(const struct json v[], enum member m, bool (*valid)(const char *s, size_t len),
		char out[NAME_MAX_BYTES + 1], struct err *e)
{
	char shown[80];

	if (v[m].kind != JSON_TEXT)
		return err_set(e, DQ_DATA, "%s: not a text", keys[m]);
	if (!valid(v[m].text, v[m].len))
		return err_set(e, DQ_DATA, "%s: \"%s\": not valid", keys[m],
			       text_shown(shown, sizeof shown, v[m].text, v[m].len));
	memcpy(out, v[m].text, v[m].len);
	out[v[m].len] = '\0';
	return 0;
}

/* bytes reads a text, or base64 from the member behind it. Without either, *s is NULL. */
static int bytes(const struct json v[], enum member m, char **s, size_t *len, struct err *e)
{
	const struct json *plain = &v[m], *coded = &v[m + 1], *it = is_none(plain) ? coded : plain;
	struct err why;

	*s = NULL;
	*len = 0;
	if (is_none(plain) && is_none(coded))
		return 0;
	if (!is_none(plain) && !is_none(coded))
		return err_set(e, DQ_DATA, "%s: not with %s", keys[m], keys[m + 1]);
	if (it->kind != JSON_TEXT)
		return err_set(e, DQ_DATA, "%s: not a text", keys[it == plain ? m : m + 1]);
	*s = it->text;
	*len = it->len;
	if (it == coded && base64_decode(*s, len, &why) < 0)
		return err_set(e, DQ_DATA, "%s: %s", keys[m + 1], why.text);
	return 0;
}

/* add_list adds the numbers of a list in the format of a header;
 * of an exponential schedule: MIN..MAX. */
static int add_list(const struct json v[], enum member m, struct buf *out, struct err *e)
{
	bool exp = m == BACKOFF_EXP;
	int64_t ms, first = 0, last = 0;
	size_t at = 0, n = 0;

	if (v[m].kind != JSON_LIST)
		return err_set(e, DQ_DATA, "%s: not a list", keys[m]);
	for (; json_next(&v[m], &at, &ms); last = ms, n++) {
		if (ms < 0 || ms >= HEADER_SPAN)
			return err_set(e, DQ_DATA, "%s: out of range", keys[m]);
		first = n ? first : ms;
		if (buf_format(out, "%s%lld",
			       n == 0 ? (exp ? "exp:" : "") :
			       exp    ? ".." :
					",",
			       (long long)ms) < 0)
			return err_memory(e);
	}
	if (n == 0 || (exp && (n != 2 || first < 1 || first > last)))
		return err_set(e, DQ_DATA, "%s: %s", keys[m],
			       exp ? "not the shortest and the longest wait" : "empty");
	return buf_char(out, '\0') < 0 ? err_memory(e) : 0;
}

/* schedule leaves *backoff NULL for the default schedule, like dq-put. */
static int schedule(const struct json v[], struct buf *out, const char **backoff, struct err *e)
{
	*backoff = NULL;
	if (is_none(&v[BACKOFF]) && is_none(&v[BACKOFF_EXP]))
		return 0;
	if (!is_none(&v[BACKOFF]) && !is_none(&v[BACKOFF_EXP]))
		return err_set(e, DQ_DATA, "backoff_ms: not with backoff_exp_ms");
	if (add_list(v, is_none(&v[BACKOFF]) ? BACKOFF_EXP : BACKOFF, out, e) < 0)
		return -1;
	*backoff = strcmp(out->bytes, QUEUE_BACKOFF) ? out->bytes : NULL;
	return 0;
}

/* A trace context as dq-put would store it: "" = none. */
struct context {
	char parent[TRACE_PARENT_MAX + 1], state[TRACE_STATE_MAX + 1];
};

static int read_context(const struct json v[], struct context *c, struct err *e)
{
	const struct json *parent = &v[TRACEPARENT], *state = &v[TRACESTATE];

	c->parent[0] = c->state[0] = '\0';
	if (!is_none(parent) &&
	    (parent->kind != JSON_TEXT || !trace_parent_valid(parent->text, parent->len)))
		return err_set(e, DQ_DATA, "traceparent: not valid");
	if (!is_none(state) && (is_none(parent) || state->kind != JSON_TEXT ||
				!trace_state(state->text, state->len, c->state)))
		return err_set(e, DQ_DATA, "tracestate: not valid%s",
			       is_none(parent) ? " without traceparent" : "");
	if (!is_none(parent)) {
		memcpy(c->parent, parent->text, parent->len);
		c->parent[parent->len] = '\0';
	}
	return 0;
}

static int add_header(const struct json v[], struct buf *body, const char *backoff, struct err *e)
{
	struct header_options o = {.backoff = backoff};
	struct context context;
	int64_t expires, keep;

	if (number(v, MAX_TRIES, 1, HEADER_TRIES_MAX, QUEUE_TRIES, &o.tries, e) < 0 ||
	    number(v, TTR, 1, HEADER_SPAN - 1, QUEUE_TTR_MS, &o.ttr, e) < 0 ||
	    number(v, PRIORITY, 0, 255, QUEUE_PRIORITY, &o.priority, e) < 0 ||
	    moment(v, EXPIRES, -1, &expires, e) < 0 || moment(v, UNIQUE, 0, &o.unique, e) < 0 ||
	    moment(v, KEEP, 0, &keep, e) < 0 || read_context(v, &context, e) < 0)
		return -1;
	if (keep > 0 && keep != o.unique)
		return err_set(e, DQ_DATA, "keep_ms: not unique_ms");
	o.keep = keep > 0;
	o.traceparent = context.parent[0] ? context.parent : NULL;
	o.tracestate = context.state[0] ? context.state : NULL;
	o.expires = expires >= 0;
	if ((o.expires && buf_format(body, "x=%lld", (long long)expires) < 0) ||
	    header_write(&o, body) < 0)
		return err_memory(e);
	return 0;
}

static int read_body(struct dump_line *d, const struct json v[], struct err *e)
{
	struct buf list = {0};
	const char *backoff;
	char *payload;
	size_t len;
	int status;

	if (bytes(v, PAYLOAD, &payload, &len, e) < 0)
		return -1;
	if (!payload)
		return err_set(e, DQ_DATA, "payload: missing");
	if (len > QUEUE_PAYLOAD_HARD_MAX)
		return err_set(e, DQ_DATA, "payload: over the limit of %d bytes",
			       QUEUE_PAYLOAD_HARD_MAX);
	status = schedule(v, &list, &backoff, e);
	if (status == 0)
		status = add_header(v, &d->body, backoff, e);
	if (status == 0 && buf_add(&d->body, payload, len) < 0)
		status = err_memory(e);
	buf_free(&list);
	return status;
}

/* read_state finds the word of the place, and the member that has its time. */
static int read_state(const struct json v[], const char **word, enum member *at, struct err *e)
{
	char shown[80];
	size_t i = 0;

	while (listing_states[i] && !is_word(&v[STATE], listing_states[i]))
		i++;
	if (!is_none(&v[STATE]) && !listing_states[i])
		return err_set(e, DQ_DATA,
			       "state: \"%s\": not one of delayed, due, ready, leased, dead",
			       shown_value(&v[STATE], shown));
	*at = is_word(&v[STATE], "leased") ? LEASE_UNTIL : is_word(&v[STATE], "dead") ? DIED : DUE;
	*word = *at == DUE ? "due" : listing_states[i];
	return 0;
}

static int read_place(struct dump_line *d, const struct json v[], struct err *e)
{
	struct shown m = {.delivery_due = -1};
	enum member where;
	char *reason;

	if (read_state(v, &m.state, &where, e) < 0 || moment(v, where, NEEDED, &m.at, e) < 0 ||
	    number(v, TRIES, 0, HEADER_TRIES_MAX, 0, &m.tries.counted, e) < 0 ||
	    number(v, GIVEN_BACK, 0, HEADER_SPAN - 1, 0, &m.tries.given_back, e) < 0 ||
	    moment(v, AGAIN, -1, &m.again, e) < 0 ||
	    moment(v, FIRST_DUE, -1, &m.first_due, e) < 0 ||
	    number(v, FAILURES, 0, HEADER_TRIES_MAX, 0, &m.failures, e) < 0 ||
	    (where != DUE && moment(v, DUE, -1, &m.delivery_due, e) < 0) ||
	    bytes(v, REASON, &reason, &m.reason_len, e) < 0)
		return -1;
	if (m.again >= 0 && where != LEASE_UNTIL)
		return err_set(e, DQ_DATA, "again_ms: the message is not leased");
	m.reason = reason ? reason : "";
	return load_place(&d->place, &m) < 0 ? err_memory(e) : 0;
}

/* check_key: the id has the key; a line that says another one is a mistake. */
static int check_key(const struct dump_line *d, const struct json v[], struct err *e)
{
	size_t len = name_key_len(d->id, strlen(d->id));
	char shown[80];

	if (is_none(&v[KEY]) || (v[KEY].kind == JSON_TEXT && len > 0 && v[KEY].len == len &&
				 !memcmp(v[KEY].text, d->id, len)))
		return 0;
	return err_set(e, DQ_DATA, "key: \"%s\": not that of the id", shown_value(&v[KEY], shown));
}

static int read_message(struct dump_line *d, const struct json v[], struct err *e)
{
	if (name(v, ID, name_id_valid, d->id, e) < 0 || check_key(d, v, e) < 0 ||
	    read_place(d, v, e) < 0)
		return -1;
	return read_body(d, v, e);
}

/* read_outcome: what is NULL if the line has none. */
static int read_outcome(const struct json v[], struct outcome *o, struct err *e)
{
	char *text, shown[80];

	*o = (struct outcome){.what = NULL};
	if (is_none(&v[OUTCOME]))
		return 0;
	o->what = v[OUTCOME].kind == JSON_TEXT ? outcome_what(v[OUTCOME].text, v[OUTCOME].len) :
						 NULL;
	if (!o->what)
		return err_set(e, DQ_DATA, "outcome: \"%s\": not one of done, dead, removed",
			       shown_value(&v[OUTCOME], shown));
	if (moment(v, ENDED, NEEDED, &o->at, e) < 0 ||
	    number(v, TRIES, 0, HEADER_TRIES_MAX, 0, &o->tries.counted, e) < 0 ||
	    number(v, GIVEN_BACK, 0, HEADER_SPAN - 1, 0, &o->tries.given_back, e) < 0 ||
	    bytes(v, RESULT, &text, &o->len, e) < 0)
		return -1;
	o->text = text;
	o->len = text ? utf8_cut(text, o->len, SETTLE_REASON_MAX) : 0;
	return 0;
}

static int read_reserved(struct dump_line *d, const struct json v[], struct err *e)
{
	struct outcome o;
	int64_t until;

	if (name(v, ID, name_id_valid, d->id, e) < 0 ||
	    moment(v, RESERVED_UNTIL, NEEDED, &until, e) < 0 || read_outcome(v, &o, e) < 0)
		return -1;
	if (buf_format(&d->place, "reserved %lld", (long long)until) < 0 ||
	    (o.what && (buf_char(&d->place, '\n') < 0 || outcome_write(&d->place, &o) < 0)))
		return err_memory(e);
	return 0;
}

/* read_rate reads "rate":{"count":5,"ms":1000}. */
static int read_rate(struct dump_settings *d, const struct json *rate, struct err *e)
{
	static const char *const parts[] = {"count", "ms", NULL};
	struct json v[2];
	struct err why;

	d->rate = d->rate_ms = -1;
	if (is_none(rate))
		return 0;
	if (rate->kind != JSON_OBJECT || json_read(rate->text, rate->len, parts, v, &why) < 0 ||
	    v[0].kind != JSON_NUMBER || v[1].kind != JSON_NUMBER || v[0].number < 1 ||
	    v[1].number < 1)
		return err_set(e, DQ_DATA, "rate: not {\"count\":N,\"ms\":N}");
	d->rate = v[0].number;
	d->rate_ms = v[1].number;
	return 0;
}

/* read_keys reads "keys":"serial": how messages with keys are served. */
static int read_keys(struct dump_settings *d, const struct json v[], struct err *e)
{
	d->keys = KEYS_NONE;
	for (int served = KEYS_FAIR; served <= KEYS_STOP; served++)
		if (is_word(&v[SERVED], keys_word((enum queue_keys)served)))
			d->keys = served;
	if (!d->keys && !is_none(&v[SERVED]))
		return err_set(e, DQ_DATA, "keys: not \"fair\", \"serial\" or \"serial,stop\"");
	return number(v, KEY_LIMIT, 1, COUNT_MAX, -1, &d->key_limit, e);
}

/* read_paused_keys reads "paused_keys":{"KEY":MS}: null is a pause that does not end. */
static int read_paused_keys(struct key_pauses *all, const struct json *keys_paused, struct err *e)
{
	struct json value;
	char *key;
	size_t at = 0, len;

	all->count = 0;
	if (is_none(keys_paused))
		return 0;
	if (keys_paused->kind != JSON_OBJECT)
		return err_set(e, DQ_DATA, "paused_keys: not an object");
	while (json_next_member(keys_paused, &at, &key, &len, &value)) {
		if (!name_key_valid(key, len) ||
		    (value.kind != JSON_NULL && (value.number < 2 || value.number >= HEADER_SPAN)))
			return err_set(e, DQ_DATA, "paused_keys: not {\"KEY\":MS}");
		if (all->count == KEY_PAUSES_MAX)
			return err_set(e, DQ_DATA, "paused_keys: more than %d", KEY_PAUSES_MAX);
		if (!key_pauses_add(all, key, len, value.kind == JSON_NULL ? -1 : value.number))
			return err_memory(e);
	}
	return 0;
}

/* read_settings reads those of a queue. Their greatest values are checked where they are set. */
static int read_settings(struct dump_settings *d, const struct json v[], struct err *e)
{
	d->paused = v[PAUSED].number;
	if (v[PAUSED].kind != JSON_BOOL)
		return err_set(e, DQ_DATA, "paused: not true or false");
	if (moment(v, PAUSED_UNTIL, -1, &d->pause_until, e) < 0)
		return -1;
	if (d->pause_until >= 0 && (!d->paused || d->pause_until < 2))
		return err_set(e, DQ_DATA, "paused_until_ms: %s",
			       d->paused ? "no time" : "the queue is not paused");
	if (number(v, MAX_LEASED, 1, COUNT_MAX, -1, &d->max_leased, e) < 0 ||
	    read_rate(d, &v[RATE], e) < 0 ||
	    number(v, MAX_LEN, 0, COUNT_MAX, -1, &d->max_len, e) < 0 || read_keys(d, v, e) < 0 ||
	    read_paused_keys(&d->key_pauses, &v[PAUSED_KEYS], e) < 0)
		return -1;
	return number(v, SHARDS, 1, SHARDS_MAX, 1, &d->shards, e);
}

/* read_edge reads the beginning or the end of a queue. */
static int read_edge(struct dump_line *d, const struct json v[], struct err *e)
{
	if (number(v, DUMP, 1, COUNT_MAX, NEEDED, &d->dump, e) < 0 ||
	    number(v, TOKEN, 0, TOKEN_MAX, NEEDED, &d->token, e) < 0)
		return -1;
	if (d->kind == DUMP_QUEUE)
		return read_settings(&d->settings, v, e);
	if (number(v, MESSAGES, 0, COUNT_MAX, NEEDED, &d->messages, e) < 0)
		return -1;
	return number(v, RESERVED, 0, COUNT_MAX, NEEDED, &d->reserved, e);
}

static int read_kind(const struct json *v, enum dump_line_kind *kind, struct err *e)
{
	static const char *const kinds[] = {"message", "reserved", "queue", "end", "done"};
	char shown[80];

	*kind = DUMP_MESSAGE;
	if (is_none(v))
		return 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_word(v, kinds[i])) {
			*kind = (enum dump_line_kind)i;
			return 0;
		}
	return err_set(e, DQ_DATA, "kind: \"%s\": not one of message, reserved, queue, end, done",
		       shown_value(v, shown));
}

int dump_line_read(struct dump_line *d, char *line, size_t len, struct err *e)
{
	static const char first[] = "{\"kind\":\"queue\""; /* as dq-dump writes it */
	struct json v[MEMBERS];

	d->place.len = d->body.len = 0;
	d->queue[0] = d->id[0] = '\0';
	d->begins = len >= sizeof first - 1 && !memcmp(line, first, sizeof first - 1);
	if (json_read(line, len, keys, v, e) < 0 || read_kind(&v[KIND], &d->kind, e) < 0)
		return -1;
	d->begins = d->kind == DUMP_QUEUE;
	if (d->kind == DUMP_DONE)
		return 0;
	if (name(v, QUEUE, name_queue_valid, d->queue, e) < 0)
		return -1;
	return d->kind == DUMP_MESSAGE  ? read_message(d, v, e) :
	       d->kind == DUMP_RESERVED ? read_reserved(d, v, e) :
					  read_edge(d, v, e);
}

void dump_line_free(struct dump_line *d)
{
	buf_free(&d->place);
	buf_free(&d->body);
	key_pauses_free(&d->settings.key_pauses);
}
