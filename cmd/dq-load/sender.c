#include "sender.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/ulid.h"
#include "message/letters.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/out.h"

#define NO_CLAIM "0"

int sender_names(struct sender *s)
{
	struct err e;

	if (out_gathered() == 0 || out_flush(&e) == 0)
		return 0;
	if (!s->unnamed)
		out_failed(&e);
	s->unnamed = s->unnamed || e.status != DQ_STOPPED;
	answers_failure(&s->answers, e.status);
	return -1;
}

/* lost reports an error after which no reply comes. queue: what it is about, if no request was
 * lost; "" = none. */
static int lost(struct sender *s, const char *queue, const struct err *e)
{
	const struct answers *a = &s->answers;
	const char *object = s->pipeline.object;

	answers_failure(&s->answers, e->status);
	if (!pipeline_wind_up(&s->pipeline, e)) {
		if (*object)
			queue = "";
		warn("%s%s%s%s: %zu there already, %zu loaded, %zu refused, %zu unknown, "
		     "%zu not sent",
		     object, queue, *queue ? ": " : "", e->text, a->there, a->loaded + a->replaced,
		     a->refused, a->unknown + s->pipeline.unanswered, s->pipeline.unsent);
		s->reported = true;
	}
	return -1;
}

int sender_settle(struct sender *s)
{
	struct err e;

	if (!s->dry && pipeline_finish(&s->pipeline, &e) < 0)
		return lost(s, "", &e);
	return sender_names(s);
}

struct queue *sender_queue(struct sender *s, const char *name)
{
	struct queue *q = queue_set_find(&s->queues, name);
	struct err e;

	if (!q && err_memory(&e) < 0)
		lost(s, name, &e);
	return q;
}

int sender_line(struct sender *s, const struct dump_line *d, bool begun)
{
	const char *texts[] = {d->id, d->place.bytes, d->body.len ? d->body.bytes : "",
			       begun ? s->claim : NO_CLAIM};
	const size_t lens[] = {strlen(d->id), d->place.len, d->body.len, strlen(texts[3])};
	struct queue *q;
	struct err e;

	if (s->dry)
		return 0;
	if (!(q = sender_queue(s, d->queue)))
		return -1;
	if (pipeline_add(&s->pipeline, q, texts, lens, &e) < 0)
		return lost(s, q->name, &e);
	return sender_names(s);
}

/* send_edge sends it to the shards from first to before end, and waits for the replies. */
static int send_edge(struct sender *s, struct queue *q, const char *place, int first, int end)
{
	const char *texts[] = {"", place, "", s->claim};
	const size_t lens[] = {0, strlen(place), 0, strlen(s->claim)};
	struct err e;

	for (int i = first; i < end; i++)
		if (pipeline_add_at(&s->pipeline, q, i, texts, lens, &e) < 0)
			return lost(s, q->name, &e);
	return sender_settle(s);
}

/* send_shards: the load that has shard 0 has the queue.
 * So shard 0 begins before the others, and ends after them. */
static int send_shards(struct sender *s, struct queue *q, const char *place)
{
	bool begins = *place == 'b';
	int shards, status;

	do { /* the number of shards may change at this moment */
		memset(s->answers.same, 0, sizeof s->answers.same);
		shards = q->shards;
		status = send_edge(s, q, place, !begins, begins ? 1 : shards);
		if (status == 0 && q->shards == shards && !s->answers.edge_refused)
			status = send_edge(s, q, place, begins, begins ? shards : 1);
	} while (status == 0 && q->shards != shards && !s->answers.edge_refused);
	return status;
}

int sender_edge(struct sender *s, const char *queue, const char *place)
{
	struct queue *q;
	struct err e;
	int status;

	if (s->dry)
		return 0;
	if (!(q = sender_queue(s, queue)))
		return -1;
	if (shards_ask(q, &e) < 0)
		return lost(s, queue, &e);
	s->answers.edge = *place == 'b' ? "beginning" : "end";
	s->answers.edge_refused = false;
	status = send_shards(s, q, place);
	s->answers.edge = NULL;
	return status;
}

/* make_claim makes the number of this load, which no other load has. */
static int make_claim(char claim[24], struct err *e)
{
	struct ulid maker = {0};
	char id[ULID_CHARS + 1];
	uint64_t n = 0;

	if (ulid_next(&maker, (uint64_t)clock_wall_us(), id, e) < 0)
		return -1;
	for (int i = 4; i < 10; i++) /* behind the bits of the clock */
		n = n << 8 | maker.random[i];
	snprintf(claim, 24, "%llu", (unsigned long long)n + 1);
	return 0;
}

int sender_start(struct sender *s, const struct sender_conf *conf, struct exchange *x,
		 const char *prefix, struct err *e)
{
	const struct pipeline_conf pipeline = {.script = &script_load, .width = 4, .once = 4,
					       .fixed_count = 2, .fixed = {"", conf->mode},
					       .repeat_at = -1, .letters = load_letters,
					       .lists = true, .each = answers_each,
					       .refused = answers_refused, .ctx = &s->answers};

	s->dry = conf->dry;
	s->answers.quiet = conf->quiet;
	s->answers.verbose = conf->verbose;
	s->answers.keep = !strcmp(conf->mode, "keep");
	queue_set_init(&s->queues, x, prefix);
	pipeline_init(&s->pipeline, x, &pipeline);
	return make_claim(s->claim, e);
}

void sender_free(struct sender *s)
{
	pipeline_free(&s->pipeline);
	queue_set_free(&s->queues);
}
