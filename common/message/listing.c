#include "message/listing.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "queue/shards.h"
#include "redis/reply.h"

const char *const listing_states[] = {"delayed", "due", "ready", "leased", "dead", NULL};

bool listing_state(const char *text)
{
	for (size_t i = 0; listing_states[i]; i++)
		if (!strcmp(text, listing_states[i]))
			return true;
	return false;
}

bool listing_among(const char *list, const char *state)
{
	size_t len = strlen(state);

	if (!*list)
		return true;
	for (;; list++) {
		size_t n = strcspn(list, ",");
		if (n == len && !memcmp(list, state, n))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

int listing_states_valid(const char *list)
{
	char state[16];
	int count = 0;

	for (;; list++) {
		size_t n = strcspn(list, ",");
		if (n >= sizeof state)
			return 0;
		memcpy(state, list, n);
		state[n] = '\0';
		if (!listing_state(state))
			return 0;
		count++;
		list += n;
		if (!*list)
			return count;
	}
}

char *listing_words(const char *list, char out[64])
{
	int left = 0;

	*out = '\0';
	for (size_t i = 0; listing_states[i]; i++)
		left += listing_among(list, listing_states[i]);
	for (size_t i = 0; listing_states[i]; i++)
		if (listing_among(list, listing_states[i])) {
			left--;
			strcat(strcat(out, listing_states[i]), left > 1  ? ", " :
							       left == 1 ? " or " :
									   "");
		}
	return out;
}

enum { WIDTH = 6 };

/* places: number of texts behind the messages. */
static bool is_page(const struct redisReply *reply, size_t places)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements % WIDTH != places)
		return false;
	for (size_t i = 0; i + WIDTH <= reply->elements; i += WIDTH) {
		struct redisReply **r = reply->element + i;
		if (r[0]->type != REDIS_REPLY_STRING || !reply_is_number(r[1]) ||
		    !tries_valid(r[2]) || !reply_is_number(r[3]) ||
		    r[4]->type != REDIS_REPLY_STRING || r[5]->type != REDIS_REPLY_STRING)
			return false;
	}
	return !places || reply->element[reply->elements - 1]->type == REDIS_REPLY_STRING;
}

bool listing_passes_over(struct queue *q, const char *state, const char *id, size_t len)
{
	char shown[100];

	if (name_id_valid(id, len))
		return false;
	if (!q->foreign) /* dq-gc --check lists all but the dead ones, which were set aside */
		snprintf(q->notice, sizeof q->notice,
			 "foreign id \"%s\" in %s: skipped, as are others like it (%s)",
			 text_shown(shown, sizeof shown, id, len), state,
			 strcmp(state, "dead") == 0 ? "dq-gc --dead-for purges dead ones" :
						      "dq-gc --check lists them");
	q->foreign = true;
	return true;
}

/* What is to be done with each message of a page. */
struct telling {
	struct queue *q;
	const char *state;
	bool whole; /* listed.shown is wanted, too */
	int (*each)(void *ctx, const struct listed *m);
	void *ctx;
};

static int tell_row(const struct telling *p, struct redisReply **r, const struct shown *shown)
{
	const struct listed m = {r[0]->str, r[1]->integer, tries_of(r[2]), r[3]->integer, r[4]->str,
				 r[4]->len, r[5]->str, r[5]->len, shown};

	return p->each(p->ctx, &m);
}

/* is_passed_over: the message of this row. */
static bool is_passed_over(const struct telling *p, struct redisReply **r)
{
	return listing_passes_over(p->q, p->state, r[0]->str, r[0]->len);
}

/* tell passes the messages of a page on. */
static int tell(const struct telling *p, const struct redisReply *page, struct err *e)
{
	for (size_t i = 0; i + WIDTH <= page->elements; i += WIDTH)
		if (!is_passed_over(p, page->element + i) &&
		    tell_row(p, page->element + i, NULL) < 0)
			return err_reported(e);
	return 0;
}

static int set_position(struct listing_position *position, const struct redisReply *to,
			struct err *e)
{
	position->text.len = 0;
	return buf_add(&position->text, to->str, to->len) < 0 ? err_memory(e) : 0;
}

enum {
	STATE, AT, PRIORITY, TRIES, TOKEN, DELIVERY_DUE, AGAIN, FIRST_DUE, FAILURES, REASON, HOLDER,
	HEADER, BYTES, PAYLOAD, FIELDS
};

/* Of an id that is reserved, or has an outcome, and no message. */
enum { WORD, UNTIL, OUTCOME, RESERVED_FIELDS };

static bool is_reserved(const struct redisReply *m)
{
	return m->type == REDIS_REPLY_ARRAY && m->elements == RESERVED_FIELDS &&
	       m->element[WORD]->type == REDIS_REPLY_STRING &&
	       !strcmp(m->element[WORD]->str, "reserved") && reply_is_number(m->element[UNTIL]) &&
	       m->element[OUTCOME]->type == REDIS_REPLY_STRING;
}

static bool is_message(const struct redisReply *m)
{
	static const bool is_text[FIELDS] = {[STATE] = true,  [TOKEN] = true,  [REASON] = true,
					     [HOLDER] = true, [HEADER] = true, [PAYLOAD] = true};

	if (m->type != REDIS_REPLY_ARRAY || (m->elements != 0 && m->elements != FIELDS))
		return false;
	for (size_t i = 0; i < m->elements; i++) {
		const struct redisReply *r = m->element[i];
		if (i == TRIES ? !tries_valid(r) :
		    is_text[i] ? r->type != REDIS_REPLY_STRING :
				 !reply_is_number(r))
			return false;
	}
	return m->elements == 0 || m->element[STATE]->len == 0 ||
	       listing_state(m->element[STATE]->str);
}

/* is_answer: the time, then an array for each of the first ids, of which there are count. */
static bool is_answer(const struct redisReply *reply, size_t count)
{
	if (!reply_is_array(reply, 1, REDIS_REPLY_INTEGER) || reply->elements < 2 ||
	    reply->elements > count + 1)
		return false;
	for (size_t i = 1; i < reply->elements; i++)
		if (!is_message(reply->element[i]) && !is_reserved(reply->element[i]))
			return false;
	return true;
}

/* read_shown: the i-th message of an answer. */
static void read_shown(struct shown *out, const struct redisReply *answer, size_t i)
{
	struct redisReply **r = answer->element[i + 1]->element;

	size_t fields = answer->element[i + 1]->elements;

	out->exists = fields == FIELDS;
	out->now = answer->element[0]->integer;
	out->reserved_until = fields == RESERVED_FIELDS ? r[UNTIL]->integer : -1;
	if (fields == RESERVED_FIELDS)
		outcome_read(&out->outcome, r[OUTCOME]->str, r[OUTCOME]->len);
	if (!out->exists)
		return;
	out->state = r[STATE]->str;
	out->at = r[AT]->integer;
	out->priority = r[PRIORITY]->integer;
	out->tries = tries_of(r[TRIES]);
	out->delivery_due = r[DELIVERY_DUE]->integer;
	out->again = r[AGAIN]->integer;
	out->first_due = r[FIRST_DUE]->integer;
	out->failures = r[FAILURES]->integer;
	out->reason = r[REASON]->str;
	out->reason_len = r[REASON]->len;
	out->holder = r[HOLDER]->str;
	out->holder_len = r[HOLDER]->len;
	out->header = r[HEADER]->str;
	out->header_len = r[HEADER]->len;
	out->bytes = r[BYTES]->integer;
	out->payload = r[PAYLOAD]->str;
	out->payload_len = r[PAYLOAD]->len;
}

/* show runs the call, to which count ids were added. */
static int show(struct queue *q, struct call *call, size_t count, struct err *e)
{
	if (exchange_run(q->x, call, NULL, e) < 0)
		return -1;
	return is_answer(call->reply, count) ? 0 : call_unexpected(call, e);
}

static void show_start(struct call *call, const struct queue *q, bool payload)
{
	queue_call(call, &script_show, q);
	call_text(call, payload ? "1" : "0");
}

/* tell_some passes on the first of the count rows, from *at on, that one call shows,
 * and moves *at behind them. */
static int tell_some(const struct telling *p, struct redisReply **const *rows, size_t count,
		     size_t *at, struct err *e)
{
	size_t last = count - *at > QUEUE_BATCH ? *at + QUEUE_BATCH : count;
	struct call call = {0};
	int status;

	show_start(&call, p->q, true);
	for (size_t i = *at; i < last; i++)
		call_add(&call, rows[i][0]->str, rows[i][0]->len);
	status = show(p->q, &call, last - *at, e);
	for (size_t i = 0; status == 0 && *at < last && i + 1 < call.reply->elements; i++, ++*at) {
		struct shown shown = {0};
		read_shown(&shown, call.reply, i);
		if (shown.exists && tell_row(p, rows[*at], &shown) < 0)
			status = err_reported(e);
	}
	call_free(&call);
	return status;
}

/* tell_whole passes on the messages of a page that still exist, with their payloads. */
static int tell_whole(const struct telling *p, const struct redisReply *page, struct err *e)
{
	struct redisReply **rows[QUEUE_CALL_MAX];
	size_t count = 0, at = 0;

	for (size_t i = 0; i + WIDTH <= page->elements && count < QUEUE_CALL_MAX; i += WIDTH)
		if (!is_passed_over(p, page->element + i))
			rows[count++] = page->element + i;
	while (at < count)
		if (tell_some(p, rows, count, &at, e) < 0)
			return -1;
	return 0;
}

static void begin(struct listing_page *page, struct queue *q, const char *state, int64_t skip,
		  int limit, const struct listing_position *position)
{
	struct call *call = &page->call;

	snprintf(page->numbers[0], sizeof page->numbers[0], "%lld", (long long)skip);
	snprintf(page->numbers[1], sizeof page->numbers[1], "%d", limit);
	queue_call(call, &script_list, q);
	call_text(call, state);
	call_text(call, page->numbers[0]);
	call_text(call, page->numbers[1]);
	if (position)
		call_add(call, position->text.len ? position->text.bytes : "", position->text.len);
	call->loss = position ? LOSS_ENDS : LOSS_REPEATS;
	exchange_add(q->x, call, NULL);
}

static int end(struct listing_page *page, const struct telling *p,
	       struct listing_position *position, int64_t *n, struct err *e)
{
	struct call *call = &page->call;
	int status = exchange_end(call, NULL, e);

	*n = 0;
	if (status == 0 && !is_page(call->reply, position ? 1 : 0))
		status = call_unexpected(call, e);
	if (status == 0 && position)
		status = set_position(position, call->reply->element[call->reply->elements - 1], e);
	if (status == 0) {
		*n = (int64_t)(call->reply->elements / WIDTH);
		status = (p->whole ? tell_whole : tell)(p, call->reply, e);
	}
	listing_drop(page);
	return status < 0 ? -1 : 0;
}

void listing_begin(struct listing_page *page, struct queue *q, const char *state, int64_t skip,
		   int limit)
{
	begin(page, q, state, skip, limit, NULL);
}

int listing_end(struct listing_page *page, struct queue *q, const char *state,
		int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n,
		struct err *e)
{
	return end(page, &(struct telling){q, state, false, each, ctx}, NULL, n, e);
}

void listing_drop(struct listing_page *page)
{
	call_free(&page->call);
}

int listing_next(struct queue *q, const char *state, struct listing_position *position, int limit,
		 bool whole, int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n,
		 struct err *e)
{
	struct listing_page page = {.call = {0}};

	begin(&page, q, state, 0, limit, position);
	return end(&page, &(struct telling){q, state, whole, each, ctx}, position, n, e);
}

/* show_one: of a queue of one shard, or of one of its shards. */
static int show_one(struct queue *q, const char *id, bool payload, struct shown *out, struct err *e)
{
	memset(out, 0, sizeof *out);
	show_start(&out->call, q, payload);
	call_text(&out->call, id);
	if (show(q, &out->call, 1, e) < 0)
		return -1;
	read_shown(out, out->call.reply, 0);
	return 0;
}

int listing_show(struct queue *q, const char *id, bool payload, struct shown *out, struct err *e)
{
	while (show_one(shards_find(q, id, strlen(id)), id, payload, out, e) < 0) {
		listing_shown_free(out);
		/* the owner of the whole learns the number */
		bool shard = q->shards > 1 && !q->rest;
		if (e->fate != FATE_SHARDS || shard || shards_learn(q, e) < 0)
			return -1;
	}
	return 0;
}

void listing_show_begin(struct queue *q, const char *id, struct call *call)
{
	show_start(call, shards_find(q, id, strlen(id)), false);
	call_text(call, id);
	exchange_add(q->x, call, NULL);
}

int listing_show_end(struct queue *q, const char *id, struct call *call, struct shown *out,
		     struct err *e)
{
	int status = exchange_end(call, NULL, e);

	memset(out, 0, sizeof *out);
	out->call = *call;
	memset(call, 0, sizeof *call);
	if (status == 0 && !is_answer(out->call.reply, 1))
		status = call_unexpected(&out->call, e);
	if (status == 0)
		read_shown(out, out->call.reply, 0);
	if (status == 0 || e->fate != FATE_SHARDS)
		return status;
	listing_shown_free(out);
	return listing_show(q, id, false, out, e);
}

void listing_shown_free(struct shown *shown)
{
	call_free(&shown->call);
}
