#include "loader.h"

#include <stdio.h>
#include <string.h>

#include "queue/letters.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/out.h"

#define GATHERED 65536 /* bytes of names per write */

/* --- output --- */

/* flush_names writes the names of the messages that exist now. After a closed pipe or on a full disk it ends the tool by finish(). */
static int flush_names(struct loader *l)
{
	struct err e;

	if (out_gathered() == 0 || out_flush(&e) == 0)
		return 0;
	if (!l->unnamed)
		out_failed(&e);
	l->unnamed = l->unnamed || e.status != DQ_STOPPED;
	answers_failure(&l->answers, e.status);
	return -1;
}

/* lost reports an error after which no reply comes. queue: what it is about, if no request was lost; "" = none. */
static int lost(struct loader *l, const char *queue, const struct err *e)
{
	const struct answers *a = &l->answers;
	const char *object = l->pipeline.object;

	answers_failure(&l->answers, e->status);
	if (!pipeline_wind_up(&l->pipeline, e)) {
		if (*object)
			queue = "";
		warn("%s%s%s%s: %zu there already, %zu loaded, %zu refused, %zu unknown, %zu not sent", object, queue, *queue ? ": " : "",
		     e->text, a->there, a->loaded + a->replaced, a->refused, a->unknown + l->pipeline.unanswered, l->pipeline.unsent);
		l->reported = true;
	}
	return -1;
}

int loader_settle(struct loader *l)
{
	struct err e;

	if (!l->conf.dry && pipeline_finish(&l->pipeline, &e) < 0)
		return lost(l, "", &e);
	return flush_names(l);
}

/* queue_of returns NULL if the tool cannot continue. */
static struct queue *queue_of(struct loader *l, const char *name)
{
	struct queue *q = queue_set_find(&l->queues, name);
	struct err e;

	if (!q && err_memory(&e) < 0)
		lost(l, name, &e);
	return q;
}

static int send(struct loader *l, const struct dump_line *d)
{
	const char *texts[3] = {d->id, d->place.bytes, d->body.len ? d->body.bytes : ""};
	const size_t lens[3] = {strlen(d->id), d->place.len, d->body.len};
	struct queue *q;
	struct err e;

	if (l->conf.dry)
		return 0;
	if (!(q = queue_of(l, d->queue)))
		return -1;
	if (pipeline_add(&l->pipeline, q, texts, lens, &e) < 0)
		return lost(l, q->name, &e);
	return flush_names(l);
}

/* send_edge sends the beginning or the end of a queue to each shard, in a call of its own, and waits for the replies. First it asks for the
 * number of shards. */
static int send_edge(struct loader *l, const char *queue, const char *place)
{
	const char *texts[3] = {"", place, ""};
	const size_t lens[3] = {0, strlen(place), 0};
	struct queue *q;
	struct err e;
	int shards, status;

	if (l->conf.dry)
		return 0;
	if (!(q = queue_of(l, queue)))
		return -1;
	if (shards_ask(q, &e) < 0)
		return lost(l, queue, &e);
	l->answers.edge = *place == 'b' ? "beginning" : "end";
	l->answers.edge_refused = false;
	do { /* the number of shards may change at this moment */
		memset(l->answers.same, 0, sizeof l->answers.same);
		shards = q->shards;
		for (int i = 0; i < shards; i++)
			if (pipeline_add_at(&l->pipeline, q, i, texts, lens, &e) < 0)
				return lost(l, queue, &e);
		status = loader_settle(l);
	} while (status == 0 && q->shards != shards);
	l->answers.edge = NULL;
	return status;
}

/* --- lines --- */

static int begin(struct loader *l, const struct dump_line *d)
{
	char place[64];
	int shards;

	l->part = true;
	l->whole = false;
	snprintf(place, sizeof place, "begin %lld %lld", (long long)d->token, (long long)d->dump);
	if (loader_settle(l) < 0)
		return -1;
	l->at = (struct loading){.paused = d->paused, .dump = d->dump, .failures = l->answers.failures};
	strcpy(l->at.name, d->queue);
	if (send_edge(l, d->queue, place) < 0)
		return -1;
	shards = l->conf.dry ? 1 : queue_set_find(&l->queues, d->queue)->shards;
	l->at.over = true;
	l->at.shards = shards;
	for (int i = 0; i < shards; i++) {
		l->at.loaded[i] = l->answers.same[i];
		l->at.over = l->at.over && l->answers.same[i];
	}
	l->over += l->at.over;
	if (l->at.over && l->conf.verbose)
		warn("%s: this dump was loaded whole before: nothing to do", d->queue);
	return 0;
}

/* resume resumes the queue if nothing of it is missing. */
static int resume(struct loader *l, const struct dump_line *d)
{
	char place[80];

	snprintf(place, sizeof place, "end %lld %lld %d", (long long)d->token, (long long)d->dump, l->at.paused);
	if (send_edge(l, d->queue, place) < 0)
		return -1;
	l->paused += l->at.paused && !l->conf.dry;
	return 0;
}

static int end(struct loader *l, const struct dump_line *d, struct err *e)
{
	const struct loading was = l->at;

	if (strcmp(was.name, d->queue) || was.dump != d->dump)
		return err_set(e, DQ_DATA, "%s: this line ends the queue, but no line began it", d->queue);
	if (loader_settle(l) < 0)
		return err_reported(e);
	l->at.name[0] = '\0';
	if (was.messages != d->messages || was.reserved != d->reserved)
		return err_set(e, DQ_DATA,
			       "%s: stays paused: %lld messages and %lld reserved ids were dumped, but the input has %lld and %lld",
			       d->queue, (long long)d->messages, (long long)d->reserved, (long long)was.messages, (long long)was.reserved);
	if (l->answers.failures != was.failures) {
		warn("%s: stays paused: not all of it was loaded; correct this and load it again", d->queue);
		return 0;
	}
	return was.over || resume(l, d) == 0 ? 0 : err_reported(e);
}

/* pass_by skips a message that was loaded before; it may have been acked since. It prints the name all the same, because readers of the
 * names expect it. */
static int pass_by(struct loader *l, const struct dump_line *d)
{
	l->answers.there++;
	if (!l->conf.quiet && !l->conf.dry)
		out_format("%s/%s\n", d->queue, d->id);
	return out_gathered() < GATHERED ? 0 : flush_names(l);
}

static int add(struct loader *l, const struct dump_line *d)
{
	bool of_dump = !strcmp(l->at.name, d->queue);
	struct queue *q = of_dump && !l->conf.dry ? queue_of(l, d->queue) : NULL;

	if (of_dump && d->kind == DUMP_MESSAGE)
		l->at.messages++;
	else if (of_dump)
		l->at.reserved++;
	if (q && q->shards == l->at.shards && l->at.loaded[shards_of(q->shards, d->id, strlen(d->id))])
		return d->kind == DUMP_MESSAGE ? pass_by(l, d) : 0;
	return send(l, d);
}

int loader_take(struct loader *l, const struct dump_line *d, struct err *e)
{
	switch (d->kind) {
	case DUMP_QUEUE:
		return begin(l, d) < 0 ? err_reported(e) : 0;
	case DUMP_END:
		return end(l, d, e);
	case DUMP_DONE:
		l->whole = true;
		return 0;
	default:
		return add(l, d) < 0 ? err_reported(e) : 0;
	}
}

void loader_failed(struct loader *l, const struct err *e)
{
	l->answers.refused += e->status == DQ_DATA;
	answers_failure(&l->answers, e->status);
}

const char *loader_paused(const struct loader *l)
{
	return l->at.name[0] && l->at.shards > 0 && !l->at.over && !l->conf.dry ? l->at.name : NULL;
}

void loader_close(struct loader *l, const char *input, bool empty)
{
	const char *paused = loader_paused(l);

	if (empty) { /* what a dq-dump that failed leaves */
		warn("%s: empty: a dump has a last line, also one of no queue", input);
		answers_failure(&l->answers, DQ_DATA);
	}
	if (l->at.name[0] || (l->part && !l->whole)) {
		warn("%s: the end of the dump is missing%s%s%s: load the whole dump, or a new one", input, paused ? ": " : "",
		     paused ? paused : "", paused ? " stays paused" : "");
		answers_failure(&l->answers, DQ_DATA);
	}
	l->at.name[0] = '\0';
	l->part = l->whole = false;
}

void loader_start(struct loader *l, const struct loader_conf *conf, struct conn *conn, const char *prefix)
{
	const struct pipeline_conf pipeline = {.script = &script_load, .width = 3, .fixed_count = 2, .fixed = {"", conf->mode},
					       .repeat_at = -1, .letters = put_letters, .lists = true, .each = answers_each,
					       .refused = answers_refused, .ctx = &l->answers};

	l->conf = *conf;
	l->answers.quiet = conf->quiet;
	l->answers.verbose = conf->verbose;
	l->answers.keep = !strcmp(conf->mode, "keep");
	queue_set_init(&l->queues, conn, prefix);
	pipeline_init(&l->pipeline, conn, &pipeline);
}

void loader_free(struct loader *l)
{
	pipeline_free(&l->pipeline);
	queue_set_free(&l->queues);
}
