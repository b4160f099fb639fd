#include "loader.h"

#include <stdio.h>
#include <string.h>

#include "queue/letters.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/out.h"

#define NO_ID "-"      /* where the script uses none */
#define GATHERED 65536 /* bytes of names that are written at once */

/* --- answers --- */

/* is_edge: of the beginning or the end of a queue; is_message: or of a reserved id. By the first letter of the item's place. */
static bool is_edge(const struct pipeline_result *r)
{
	return r->second[0] == 'b' || r->second[0] == 'e';
}

static bool is_message(const struct pipeline_result *r)
{
	return !is_edge(r) && r->second[0] != 'r';
}

static void failure(struct loader *l, enum status status)
{
	l->failures++;
	l->status = worse(l->status, status);
}

/* on_message: what the letter means to the user. */
static void on_message(struct loader *l, const struct pipeline_result *r)
{
	size_t *const counts[] = {&l->loaded, &l->there, &l->replaced, &l->kept, &l->refused};
	static const char letters[] = {PUT_NEW, PUT_SAME, PUT_REPLACED, PUT_KEPT, PUT_EXISTS};
	size_t i = (size_t)((const char *)memchr(letters, r->letter, sizeof letters) - letters);

	if (r->unconfirmed) {
		l->unknown++;
		failure(l, r->unconfirmed->status);
		warn("%s/%s: %s", r->queue->name, r->id, r->unconfirmed->text);
		return;
	}
	++*counts[i];
	if (r->letter == PUT_EXISTS) {
		failure(l, DQ_NO);
		warn("%s/%s: not loaded: another message has that id, or it is reserved (-e)", r->queue->name, r->id);
	} else if (r->letter == PUT_KEPT) {
		if (l->conf.verbose)
			warn("%s/%s: not loaded: another message has that id, or it is reserved: kept", r->queue->name, r->id);
	} else if (!l->conf.quiet) {
		out_format("%s/%s\n", r->queue->name, r->id);
	}
}

static void on_result(void *ctx, const struct pipeline_result *r)
{
	struct loader *l = ctx;

	if (is_message(r))
		on_message(l, r);
	else if (r->unconfirmed)
		failure(l, r->unconfirmed->status);
	if (is_edge(r) && r->letter == PUT_SAME)
		l->same[r->queue->shard] = true;
}

static void on_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct loader *l = ctx;

	if (n == 0) {
		warn("%s: the queue could not be added to the list of queues: %s", queue->name, e->text);
		return;
	}
	if (e->fate == FATE_UNKNOWN)
		l->unknown += n;
	else
		l->refused += n;
	failure(l, e->status);
	warn("%s: %zu message%s %s: %s", queue->name, n, n == 1 ? "" : "s", e->fate == FATE_UNKNOWN ? "perhaps not loaded" : "not loaded",
	     e->text);
}

/* --- what goes out --- */

/* flush_names writes the names of what is there. A closed pipe or a full disk ends the tool by finish(). */
static int flush_names(struct loader *l)
{
	struct err e;

	if (out_gathered() == 0 || out_flush(&e) == 0)
		return 0;
	if (!l->unnamed)
		out_failed(&e);
	l->unnamed = l->unnamed || e.status != DQ_STOPPED;
	failure(l, e.status);
	return -1;
}

/* lost: no further answer will come. */
static int lost(struct loader *l, const struct err *e)
{
	failure(l, e->status);
	if (!pipeline_wind_up(&l->pipeline, e)) {
		warn("%s%s: %zu there already, %zu loaded, %zu refused, %zu unknown, %zu not sent", l->pipeline.object, e->text,
		     l->there, l->loaded + l->replaced, l->refused, l->unknown + l->pipeline.unanswered, l->pipeline.unsent);
		l->told = true;
	}
	return -1;
}

int loader_settle(struct loader *l)
{
	struct err e;

	if (!l->conf.dry && pipeline_finish(&l->pipeline, &e) < 0)
		return lost(l, &e);
	return flush_names(l);
}

/* queue_of: NULL: there is no going on. */
static struct queue *queue_of(struct loader *l, const char *name)
{
	struct queue *q = queue_set_find(&l->queues, name);
	struct err e;

	if (!q && err_memory(&e) < 0)
		lost(l, &e);
	return q;
}

static int send(struct loader *l, const struct record *r)
{
	const char *texts[3] = {r->id, r->place.bytes, r->body.len ? r->body.bytes : ""};
	const size_t lens[3] = {strlen(r->id), r->place.len, r->body.len};
	struct queue *q;
	struct err e;

	if (l->conf.dry)
		return 0;
	if (!(q = queue_of(l, r->queue)))
		return -1;
	if (pipeline_add(&l->pipeline, q, texts, lens, &e) < 0)
		return lost(l, &e);
	return flush_names(l);
}

/* send_edge sends the beginning or the end of a queue to each shard, whose number it asks for, alone, and waits for the answers. */
static int send_edge(struct loader *l, const char *queue, const char *place)
{
	const char *texts[3] = {NO_ID, place, ""};
	const size_t lens[3] = {strlen(NO_ID), strlen(place), 0};
	struct queue *q;
	struct err e;

	memset(l->same, 0, sizeof l->same);
	if (l->conf.dry)
		return 0;
	if (!(q = queue_of(l, queue)))
		return -1;
	if (shards_ask(q, &e) < 0)
		return lost(l, &e);
	for (int i = 0; i < q->shards; i++)
		if (pipeline_add_at(&l->pipeline, q, i, texts, lens, &e) < 0)
			return lost(l, &e);
	return loader_settle(l);
}

/* --- records --- */

static int begin(struct loader *l, const struct record *r)
{
	char place[64];
	int shards;

	l->part = true;
	l->whole = false;
	snprintf(place, sizeof place, "begin %lld %lld", (long long)r->token, (long long)r->dump);
	if (loader_settle(l) < 0)
		return -1;
	l->at = (struct loading){.paused = r->paused, .dump = r->dump, .failures = l->failures};
	strcpy(l->at.name, r->queue);
	if (send_edge(l, r->queue, place) < 0)
		return -1;
	shards = l->conf.dry ? 1 : queue_set_find(&l->queues, r->queue)->shards;
	l->at.over = true;
	for (int i = 0; i < shards; i++) {
		l->at.loaded[i] = l->same[i];
		l->at.over = l->at.over && l->same[i];
	}
	if (l->at.over && l->conf.verbose)
		warn("%s: this dump was loaded whole before: nothing to do", r->queue);
	return 0;
}

/* resume ends the pause of a queue of which nothing is missing. */
static int resume(struct loader *l, const struct record *r)
{
	char place[80];

	snprintf(place, sizeof place, "end %lld %lld %d", (long long)r->token, (long long)r->dump, l->at.paused);
	if (send_edge(l, r->queue, place) < 0)
		return -1;
	l->paused += l->at.paused && !l->conf.dry;
	return 0;
}

static int end(struct loader *l, const struct record *r, struct err *e)
{
	const struct loading was = l->at;

	if (strcmp(was.name, r->queue) || was.dump != r->dump)
		return err_set(e, DQ_DATA, "%s: this line ends the queue, but no line began it", r->queue);
	l->at.name[0] = '\0';
	if (loader_settle(l) < 0)
		return err_said(e);
	if (was.messages != r->messages || was.reserved != r->reserved)
		return err_set(e, DQ_DATA, "%s: stays paused: %lld messages and %lld reserved ids were dumped, but the input has %lld and %lld", r->queue,
			       (long long)r->messages, (long long)r->reserved, (long long)was.messages, (long long)was.reserved);
	if (l->failures != was.failures) {
		warn("%s: stays paused: not all of it was loaded; correct this and load it again", r->queue);
		return 0;
	}
	return was.over || resume(l, r) == 0 ? 0 : err_said(e);
}

/* pass_by: it was loaded before, and may have been acked since; its name is printed, since whoever reads the names misses it. */
static int pass_by(struct loader *l, const struct record *r)
{
	l->there++;
	if (!l->conf.quiet && !l->conf.dry)
		out_format("%s/%s\n", r->queue, r->id);
	return out_gathered() < GATHERED ? 0 : flush_names(l);
}

static int add(struct loader *l, const struct record *r)
{
	bool of_dump = !strcmp(l->at.name, r->queue);
	struct queue *q = of_dump && !l->conf.dry ? queue_of(l, r->queue) : NULL;

	if (of_dump && r->kind == RECORD_MESSAGE)
		l->at.messages++;
	else if (of_dump)
		l->at.reserved++;
	if (q && l->at.loaded[shards_of(q->shards, r->id, strlen(r->id))])
		return r->kind == RECORD_MESSAGE ? pass_by(l, r) : 0;
	return send(l, r);
}

int loader_take(struct loader *l, const struct record *r, struct err *e)
{
	switch (r->kind) {
	case RECORD_QUEUE:
		return begin(l, r) < 0 ? err_said(e) : 0;
	case RECORD_END:
		return end(l, r, e);
	case RECORD_DONE:
		l->whole = true;
		return 0;
	default:
		return add(l, r) < 0 ? err_said(e) : 0;
	}
}

void loader_failed(struct loader *l, const struct err *e)
{
	l->refused += e->status == DQ_DATA;
	failure(l, e->status);
}

void loader_close(struct loader *l, const char *input)
{
	bool cut = l->at.name[0] && !l->at.over;

	if (l->at.name[0] || (l->part && !l->whole)) {
		warn("%s: the end of the dump is missing%s%s%s: dump again and load the new dump", input, cut ? ": " : "", cut ? l->at.name : "",
		     cut ? " stays paused" : "");
		failure(l, DQ_DATA);
	}
	l->at.name[0] = '\0';
	l->part = l->whole = false;
}

void loader_start(struct loader *l, const struct loader_conf *conf, struct conn *conn, const char *prefix)
{
	const struct pipeline_conf pipeline = {.script = &script_load, .width = 3, .fixed_count = 2, .fixed = {"", conf->mode},
					       .repeat_at = -1, .letters = put_letters, .lists = true, .each = on_result,
					       .refused = on_refused, .ctx = l};

	l->conf = *conf;
	queue_set_init(&l->queues, conn, prefix);
	pipeline_init(&l->pipeline, conn, &pipeline);
}

void loader_free(struct loader *l)
{
	pipeline_free(&l->pipeline);
	queue_set_free(&l->queues);
}
