#include "list.h"

#include <string.h>

#include "describe.h"
#include "ended.h"
#include "ended_list.h"
#include "failed.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/notice.h"
#include "tool/queues.h"
#include "tool/stop.h"

#define PART (1 << 20) /* bytes gathered before a write: payloads may be large */

/* In the order of the listing. */
static const char *const states[] = {"leased", "ready", "due", "delayed", "dead", LIST_EXPIRED,
				     LIST_ENDED};

struct run {
	const struct list *l;
	struct queue *queue; /* being listed; and the state */
	const char *state;
	size_t listed;       /* messages in total */
	bool foreign;        /* the queue has foreign ids */
	struct buf out;      /* not yet written */
	enum status status;
};

static int out_of_memory(struct run *r)
{
	warn("out of memory");
	r->status = worse(r->status, DQ_TEMPORARY);
	return -1;
}

static int emit(struct run *r)
{
	int status = failed_write(&r->status, &r->out);

	r->out.len = 0;
	return status;
}

static int add(struct run *r, const struct listed *m)
{
	const char *queue = r->queue->name;

	if (r->l->json)
		return describe_listed_json(&r->out, queue, r->state, m);
	return describe_listed(&r->out, queue, r->state, m, r->l->terminal);
}

static int list_one(void *ctx, const struct listed *m)
{
	struct run *r = ctx;

	queue_set_commit(r->l->all);
	r->listed++;
	if (add(r, m) < 0)
		return out_of_memory(r);
	return r->out.len < PART ? 0 : emit(r);
}

/* is_wanted: the expired messages are in other states, too, and what has ended is in none, so
 * "all states" leaves them out. */
static bool is_wanted(const struct run *r, const char *state)
{
	return listing_among(r->l->states, state) && (*r->l->states || listing_state(state));
}

/* list_state writes page after page, so that a reader downstream can begin. It continues by
 * position, not by rank, so that the reader may remove or move what it has read. */
static int list_state(void *ctx, struct queue *q, struct err *e)
{
	struct run *r = ctx;
	struct listing_position position = {{0}};
	int status = 0;
	int64_t n;

	do {
		status = listing_next(q, r->state, &position, QUEUE_CALL_MAX, r->l->payload,
				      list_one, r, &n, e);
		if (status == 0 && r->out.len > 0 && emit(r) < 0)
			status = err_reported(e);
		if (q->foreign)
			queue_set_commit(r->l->all);
		notice_say(q);
		r->foreign = r->foreign || q->foreign;
	} while (status == 0 && n == QUEUE_CALL_MAX && !stop_signal());
	buf_free(&position.text);
	return status;
}

static int list_one_ended(void *ctx, const char *id, const struct shown *s)
{
	struct run *r = ctx;
	const char *queue = r->queue->name;

	queue_set_commit(r->l->all);
	r->listed++;
	if ((r->l->json ? ended_json(&r->out, queue, id, s) :
			  ended_line(&r->out, queue, id, s, r->l->terminal)) < 0)
		return out_of_memory(r);
	return r->out.len < PART ? 0 : emit(r);
}

/* list_ended lists outcomes, which have no state of a message. */
static int list_ended(struct run *r, struct queue *q, struct err *e)
{
	int status = ended_list(q, r->l->key, list_one_ended, r, e);

	if (status == 0 && r->out.len > 0 && emit(r) < 0)
		status = err_reported(e);
	return status;
}

static int list_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	size_t before = r->listed;
	struct err e;

	r->queue = q;
	r->foreign = false;
	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		r->state = states[i];
		if (!is_wanted(r, r->state) ||
		    (strcmp(r->state, LIST_ENDED) ? shards_each(q, list_state, r, &e) :
						    list_ended(r, q, &e)) == 0)
			continue;
		if (queue_set_put_off(r->l->all, q, &e))
			return 0;
		return e.status == DQ_REPORTED ? -1 :
						 failed_show(&r->status, q->x, q->name, NULL, &e);
	}
	if (r->listed == before && !r->foreign && *r->l->names)
		return failed_absent(&r->status, q, r->l->quiet);
	return 0;
}

enum status list_run(const struct list *l)
{
	struct run r = {.l = l, .status = DQ_DONE};
	enum status status;

	queue_set_moving_last(l->all);
	status = queues_each(l->all, l->names, list_queue, &r);
	buf_free(&r.out);
	return worse(status, r.status);
}
