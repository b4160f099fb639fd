#include "queue/pipeline.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "queue/registry.h"
#include "redis/reply.h"
#include "redis/session.h"
#include "redis/sock.h"

#define WIND_UP 900 /* ms: with it a stopped tool ends within a second */

void pipeline_init(struct pipeline *b, struct conn *conn, const struct pipeline_conf *conf)
{
	memset(b, 0, sizeof *b);
	b->conf = *conf;
	b->conn = b->session.conn = conn;
	b->wait = conn->conf.wait;
	b->last = &b->first;
}

/* batch_get reuses a spare one, whose memory is grown already. */
static struct batch *batch_get(struct pipeline *b, struct queue *q)
{
	struct batch *batch = b->spare;

	if (!batch)
		return batch_new(q);
	b->spare = batch->next;
	batch_reset(batch, q);
	return batch;
}

static int batch_send(struct pipeline *b, struct batch *batch, struct err *e)
{
	const struct pipeline_conf *conf = &b->conf;
	const char *fixed[PIPELINE_FIXED_MAX];

	memcpy(fixed, conf->fixed, sizeof fixed);
	if (batch->repeated && conf->repeat_at >= 0)
		fixed[conf->repeat_at] = conf->repeat;
	batch_build(batch, conf->script, fixed, conf->fixed_count, conf->width, conf->once);
	batch->sent_at = b->listing.ended;
	if (script_send(b->conn, &batch->call, e) < 0)
		return -1;
	conn_push(b->conn);
	return 0;
}

/* listing_send sends a step of the listing under way. */
static int listing_send(struct pipeline *b, struct err *e)
{
	struct pipeline_listing *l = &b->listing;

	if (l->step == LISTING_ADD)
		registry_add_call(&l->call, l->queue, l->generation);
	else
		registry_listed_call(&l->call, l->queue, l->generation);
	if (script_send(b->conn, &l->call, e) < 0)
		return -1;
	conn_push(b->conn);
	return 0;
}

/* resend sends again what has no answer, in order. */
static int resend(struct pipeline *b, struct err *e)
{
	if (b->listing.step != LISTING_NONE && listing_send(b, e) < 0)
		return -1;
	for (struct batch *batch = b->first; batch; batch = batch->next)
		if (!batch->call.reply && batch_send(b, batch, e) < 0)
			return -1;
	return 0;
}

/* mark_repeated: what has no answer may have been done, also where there is no going on. */
static void mark_repeated(struct pipeline *b, const struct err *e)
{
	if (e->fate == FATE_UNKNOWN)
		for (struct batch *batch = b->first; batch; batch = batch->next)
			batch->repeated = batch->repeated || !batch->call.reply;
}

/* must_not_resend: may a call have been done that must not be done twice? */
static bool must_not_resend(const struct pipeline *b)
{
	for (const struct batch *batch = b->first; batch && b->conf.single; batch = batch->next)
		if (batch->repeated && !batch->call.reply)
			return true;
	return false;
}

/* recover: the connection is gone; open it again and send again what has no answer. Not after a stop: there is no time for it. */
static int recover(struct pipeline *b, struct err *e)
{
	struct wait wait = b->wait;

	if (b->retry_until == 0 && b->conn->refused)
		return -1; /* nothing was begun */
	if (b->retry_until == 0)
		b->retry_until = clock_ms() + b->wait.timeout;
	wait.until = b->retry_until;
	do {
		mark_repeated(b, e);
		if (e->status != DQ_TEMPORARY || b->wait.until || must_not_resend(b) || clock_ms() > b->retry_until)
			return -1;
		session_lost(&b->session, NULL, e);
		if (session_again(&b->session, &wait, e) < 0)
			return -1;
	} while (resend(b, e) < 0);
	return 0;
}

/* still_loading: after a reconnect a server that is starting says LOADING for a while; nothing was done, so the call goes
 * out again, until recover's retry_until ends. 1 sent again, 0 not that case, -1 error. */
static int still_loading(struct pipeline *b, struct call *done, struct err *e)
{
	struct batch *batch;

	if (clock_ms() > b->retry_until || script_check(done, e) == 0 || e->status != DQ_TEMPORARY ||
	    strncmp(done->reply->str, "LOADING", 7))
		return 0;
	if (sock_wait(-1, 0, clock_ms() + 50, b->wait.stop_fd, e) < 0)
		return -1;
	if (done == &b->listing.call)
		return listing_send(b, e) < 0 && recover(b, e) < 0 ? -1 : 1;
	for (batch = b->first; &batch->call != done; batch = batch->next)
		;
	if (batch->next) { /* those behind it may get through: all again, in their order */
		reply_free(done->reply);
		done->reply = NULL;
		conn_close(b->conn);
		e->fate = FATE_UNKNOWN;
		return recover(b, e) < 0 ? -1 : 1;
	}
	return batch_send(b, batch, e) < 0 && recover(b, e) < 0 ? -1 : 1;
}

static void tell(struct pipeline *b, struct batch *batch, const char *letters)
{
	const char *text = batch->bytes.bytes;
	int width = b->conf.width;

	for (size_t i = 0; i < batch->items; i++) {
		struct pipeline_result result = {batch->queue, batch->number + i, text, "", letters[i], batch->repeated};
		for (int k = 0; k < width; k++) {
			if (k == 1)
				result.second = text;
			text += batch->lens[i * (size_t)width + (size_t)k] + 1;
		}
		b->conf.each(b->conf.ctx, &result);
	}
}

/* unlisted: the generation that the answer ends with, or NULL. */
static const char *unlisted(const struct pipeline *b, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;

	if (!b->conf.lists || reply->type != REDIS_REPLY_STRING || (size_t)reply->len < batch->items + 2 ||
	    (size_t)reply->len > batch->items + 1 + NAME_TOKEN_MAX || reply->str[batch->items] != ' ' ||
	    strspn(reply->str + batch->items + 1, "0123456789") != (size_t)reply->len - batch->items - 1)
		return NULL;
	return reply->str + batch->items + 1;
}

static void answer(struct pipeline *b, struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	struct err e;

	if (script_check(&batch->call, &e) == 0) {
		if (reply->type == REDIS_REPLY_STRING && strspn(reply->str, b->conf.letters) == batch->items &&
		    ((size_t)reply->len == batch->items || unlisted(b, batch))) {
			tell(b, batch, reply->str);
			return;
		}
		err_set(&e, DQ_INTERNAL, "unexpected reply to script %s", b->conf.script->name);
		e.fate = FATE_UNKNOWN;
	} else if (batch->repeated) {
		e.fate = FATE_UNKNOWN; /* the first sending may have been done */
	}
	b->conf.refused(b->conf.ctx, batch->queue, batch->items, &e);
}

/* --- listing: what was accepted is told once its queue is listed --- */

/* listing_begin: 1 under way, 0 not needed, -1 error. */
static int listing_begin(struct pipeline *b, struct batch *batch, struct err *e)
{
	struct pipeline_listing *l = &b->listing;
	const char *generation = unlisted(b, batch);

	if (!generation || (batch->sent_at != l->ended && !strcmp(generation, l->generation)))
		return 0;
	l->step = LISTING_ADD;
	l->queue = batch->queue;
	strcpy(l->generation, generation); /* it fits: see unlisted */
	return listing_send(b, e) < 0 && recover(b, e) < 0 ? -1 : 1;
}

static void listing_end(struct pipeline *b)
{
	b->listing.step = LISTING_NONE;
	b->listing.ended++;
}

/* listing_failed: a queue that could not be listed is worth a word, and no more: its messages are safe, and the next put tries again. */
static void listing_failed(struct pipeline *b, const struct err *e)
{
	b->conf.refused(b->conf.ctx, b->listing.queue, 0, e);
	listing_end(b);
}

/* listing_next: a step was answered. */
static int listing_next(struct pipeline *b, struct err *e)
{
	struct pipeline_listing *l = &b->listing;

	if (l->step == LISTING_TELL) {
		listing_end(b); /* whatever the answer: the name is there, and that is what counts */
		return 0;
	}
	if (script_check(&l->call, e) < 0) {
		listing_failed(b, e);
		return 0;
	}
	l->step = LISTING_TELL;
	if ((registry_added(&l->call) && registry_announce(l->queue, e) < 0) || listing_send(b, e) < 0)
		return recover(b, e);
	return 0;
}

/* settle_front tells of every batch at the front that has its answer, so that results keep the order of the input even
 * where a call had to be sent again. */
static int settle_front(struct pipeline *b, struct err *e)
{
	while (b->listing.step == LISTING_NONE && b->first && b->first->call.reply) {
		struct batch *batch = b->first;
		int begun = listing_begin(b, batch, e);
		if (begun != 0)
			return begun < 0 ? -1 : 0;
		answer(b, batch);
		b->first = batch->next;
		if (!b->first)
			b->last = &b->first;
		batch->next = b->spare;
		b->spare = batch;
		b->in_flight--;
	}
	return 0;
}

/* only_listing: are all batches answered, and what was lost is the listing alone? Not after a stop, which leaves the connection. */
static bool only_listing(const struct pipeline *b)
{
	if (b->listing.step == LISTING_NONE || b->conn->redis)
		return false;
	for (const struct batch *batch = b->first; batch; batch = batch->next)
		if (!batch->call.reply)
			return false;
	return true;
}

/* listing_lost: there is no other connection. Where that is only the listing's loss, what was put is told all the same. */
static int listing_lost(struct pipeline *b, struct err *e)
{
	if (!only_listing(b))
		return -1;
	listing_failed(b, e);
	return settle_front(b, e);
}

static int land_one(struct pipeline *b, struct err *e)
{
	struct call *done;
	int loading;

	while (script_recv(b->conn, &b->wait, &done, e) < 0)
		if (recover(b, e) < 0)
			return listing_lost(b, e);
	loading = still_loading(b, done, e);
	if (loading)
		return loading < 0 ? listing_lost(b, e) : 0;
	b->retry_until = 0;
	session_answered(&b->session);
	if ((done == &b->listing.call && listing_next(b, e) < 0) || settle_front(b, e) < 0)
		return listing_lost(b, e);
	return 0;
}

static int launch(struct pipeline *b, struct batch *batch, struct err *e)
{
	batch->next = NULL;
	batch->number = b->launched;
	b->launched += batch->items;
	*b->last = batch;
	b->last = &batch->next;
	b->in_flight++;
	if (batch_send(b, batch, e) < 0 && recover(b, e) < 0)
		return -1;
	while (b->in_flight >= PIPELINE_WINDOW)
		if (land_one(b, e) < 0)
			return -1;
	return 0;
}

/* take_open removes and returns the open batch of q (any queue's if NULL). */
static struct batch *take_open(struct pipeline *b, const struct queue *q)
{
	for (struct batch **at = &b->open; *at; at = &(*at)->next) {
		struct batch *batch = *at;
		if (!q || batch->queue == q) {
			*at = batch->next;
			b->open_count--;
			return batch;
		}
	}
	return NULL;
}

/* make_room sends the batch that was added to longest ago, where there are too many to search and to keep. */
static int make_room(struct pipeline *b, struct err *e)
{
	struct batch **at = &b->open, *batch;

	if (b->open_count < PIPELINE_OPEN_MAX)
		return 0;
	while ((*at)->next)
		at = &(*at)->next;
	batch = *at;
	*at = NULL;
	b->open_count--;
	return launch(b, batch, e);
}

int pipeline_add(struct pipeline *b, struct queue *q, const char *const texts[], const size_t lens[], struct err *e)
{
	struct batch *batch = take_open(b, q);
	size_t more = 0;
	int failed;

	for (int i = 0; i < b->conf.width; i++)
		more += lens[i] + 1;
	if (batch && batch->items && batch->bytes.len + more > QUEUE_BATCH_BYTES) {
		if (launch(b, batch, e) < 0)
			return -1;
		batch = NULL;
	}
	if (!batch && make_room(b, e) < 0)
		return -1;
	if (!batch && !(batch = batch_get(b, q)))
		return err_memory(e);
	failed = batch_add(batch, b->conf.width, texts, lens);
	if (!failed && batch->items == BATCH_ITEMS_MAX)
		return launch(b, batch, e);
	batch->next = b->open;
	b->open = batch;
	b->open_count++;
	return failed ? err_memory(e) : 0;
}

int pipeline_finish(struct pipeline *b, struct err *e)
{
	struct batch *batch;

	while ((batch = take_open(b, NULL)))
		if (launch(b, batch, e) < 0)
			return -1;
	while (b->first)
		if (land_one(b, e) < 0)
			return -1;
	return 0;
}

/* name_lost: in what messages begin with. */
static void name_lost(struct pipeline *b, const struct batch *batch, const struct queue **queue)
{
	bool first = !*queue;

	if (first && batch->items == 1)
		snprintf(b->object, sizeof b->object, "%s/%s: ", batch->queue->name, batch->bytes.bytes);
	else if (first || *queue == batch->queue)
		snprintf(b->object, sizeof b->object, "%s: ", batch->queue->name);
	else
		snprintf(b->object, sizeof b->object, "%s and other queues: ", (*queue)->name);
	if (first)
		*queue = batch->queue;
}

/* abandon counts what has no answer, and forgets it. */
static void abandon(struct pipeline *b, const struct err *e)
{
	const struct queue *queue = NULL;

	if (b->listing.step != LISTING_NONE)
		listing_failed(b, e);
	for (struct batch *batch = b->first; batch; batch = batch->next) {
		if (!batch->call.reply)
			name_lost(b, batch, &queue);
		if (batch->call.reply)
			answer(b, batch);
		else if (batch->repeated || b->conn->redis)
			b->unanswered += batch->items;
		else
			b->unsent += batch->items;
	}
	for (struct batch *batch = b->open; batch; batch = batch->next) {
		name_lost(b, batch, &queue);
		b->unsent += batch->items;
	}
	batch_list_free(b->first);
	batch_list_free(b->open);
	b->first = b->open = NULL;
	b->open_count = 0;
	b->last = &b->first;
	b->in_flight = 0;
}

bool pipeline_wind_up(struct pipeline *b, const struct err *e)
{
	struct err late;

	if (e->status == DQ_STOPPED && b->conn->redis) {
		b->wait.stop_fd = -1;
		b->wait.until = clock_ms() + WIND_UP;
		b->retry_until = clock_sooner(b->retry_until, b->wait.until);
		if (pipeline_finish(b, &late) == 0)
			return true;
	}
	abandon(b, e);
	return false;
}

void pipeline_free(struct pipeline *b)
{
	batch_list_free(b->first);
	batch_list_free(b->open);
	batch_list_free(b->spare);
	call_free(&b->listing.call);
	memset(b, 0, sizeof *b);
}
