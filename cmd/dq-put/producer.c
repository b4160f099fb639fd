#include "producer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "meaning.h"
#include "tool/die.h"
#include "tool/out.h"

#define FEW 16 /* room for one message, or some: a large ring has to be asked of the kernel */

/* room_for returns how many messages of a queue of so many shards can lack a reply when calls are
 * full: those in flight, and a partial batch for each shard. Shards get unequal numbers of ids, so
 * it adds some. */
static size_t room_for(int shards)
{
	return (size_t)(FLIGHT_WINDOW + 2 + (shards > 1 ? shards + shards / 4 : 0)) *
	       BATCH_ITEMS_MAX;
}

/* make_room makes the ring at least that large. Returns -1 if out of memory. */
static int make_room(struct producer *p, size_t room)
{
	struct producer_asked *asked;

	if (room <= p->room)
		return 0;
	asked = malloc(room * sizeof *asked); /* each element is written before it is read */
	if (!asked)
		return -1;
	for (size_t i = p->next; i < p->added; i++)
		asked[i % room] = p->asked[i % p->room];
	free(p->asked);
	p->asked = asked;
	p->room = room;
	return 0;
}

/* remember stores what the reply does not contain. */
static void remember(struct producer *p, const struct line *line)
{
	p->asked[p->added++ % p->room] = (struct producer_asked){.number = line->number,
								 .made = !line->id};
}

/* print_next prints the names that are next in the order of the input. rest: it also skips messages
 * that have no reply and will get none. */
static void print_next(struct producer *p, bool rest)
{
	for (; p->next < p->added; p->next++) {
		struct producer_asked *asked = &p->asked[p->next % p->room];
		if (!asked->answered && !rest)
			return;
		if (asked->name.len > 0)
			out_format("%s/%.*s\n", p->queue.name, (int)asked->name.len,
				   asked->name.bytes);
		buf_free(&asked->name);
	}
}

/* answered prints names in the order of the input,
 * although the shards of a queue reply in any order. */
static void answered(struct producer *p, const struct pipeline_result *r, bool print)
{
	struct producer_asked *asked = &p->asked[r->number % p->room];

	asked->answered = true;
	if (r->number == p->next) {
		if (print)
			out_format("%s/%s\n", r->queue->name, r->id);
		p->next++;
		print_next(p, false);
	} else if (print && buf_text(&asked->name, r->id) < 0) {
		die(DQ_TEMPORARY, "out of memory");
	}
}

static void say_where(const struct producer *p, const struct pipeline_result *r, size_t number,
		      const char *text)
{
	if (number)
		warn("standard input: %s %zu: %s", p->conf.unit, number, text);
	else
		warn("%s/%s: %s", r->queue->name, r->id, text);
}

/* unconfirmed: a refusal, too, counts only if no failover can change it: a repeated put gets it
 * although the first put was not confirmed. */
static void unconfirmed(struct producer *p, const struct pipeline_result *r,
			const struct meaning *o)
{
	p->status = worse(p->status, r->unconfirmed->status);
	p->unknown++;
	if (o->status == DQ_DONE)
		warn("%s/%s: accepted, %s", r->queue->name, r->id, r->unconfirmed->text);
	else
		warn("%s/%s: %s; %s", r->queue->name, r->id, o->text, r->unconfirmed->text);
}

/* say_full names the limit. In a queue of several shards it is the part of one. The message is
 * named by its line, because nobody has heard of an id that was made for it. */
static void say_full(const struct producer *p, const struct pipeline_result *r,
		     const struct producer_asked *asked, const char *text)
{
	char why[100];
	bool part = r->queue->shards > 1;

	snprintf(why, sizeof why, "not put: %s has %lld message%s, its %slimit",
		 part ? "its shard" : "the queue", (long long)r->max_len,
		 r->max_len == 1 ? "" : "s", part ? "part of the " : "");
	if (r->max_len >= 0)
		text = why;
	if (asked->made && !asked->number)
		warn("%s: %s", r->queue->name, text);
	else
		say_where(p, r, asked->number, text);
}

static void on_result(void *ctx, const struct pipeline_result *r)
{
	struct producer *p = ctx;
	struct producer_asked asked = p->asked[r->number % p->room];
	const struct meaning *o = meaning_of(r, asked.made, p->conf.expires >= 0,
					     !strcmp(p->conf.mode, "keep"));
	enum status status = o->status;

	if (r->unconfirmed && (status == DQ_DONE || status == DQ_NO)) {
		unconfirmed(p, r, o);
		answered(p, r, false);
		return;
	}
	if (status == DQ_DATA && !strcmp(r->second, p->conf.due))
		status = DQ_USAGE; /* an option is wrong, not the line */
	p->status = worse(p->status, status);
	if (status == DQ_DONE)
		p->accepted++;
	else if (status == DQ_TEMPORARY && o->letter != PUT_FULL)
		p->unknown++;
	else
		p->refused++;
	answered(p, r, status == DQ_DONE && !p->conf.quiet);
	if (o->letter == PUT_FULL)
		say_full(p, r, &asked, o->text);
	else if (status != DQ_DONE || (p->conf.verbose && strcmp(p->conf.mode, "fail")))
		say_where(p, r, status == DQ_DATA ? asked.number : 0, o->text);
}

static void on_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct producer *p = ctx;

	if (n == 0) {
		warn("%s: the queue could not be added to the list of queues: %s", queue->name,
		     e->text);
		return;
	}
	if (e->fate == FATE_UNKNOWN)
		p->unknown += n;
	else
		p->refused += n;
	p->status = worse(p->status, e->status);
	warn("%s: %zu message%s %s: %s", queue->name, n, n == 1 ? "" : "s",
	     e->fate == FATE_UNKNOWN ? "perhaps not put" : "not put", e->text);
}

/* flush_names writes the names of the messages accepted so far. After a closed pipe or on a full
 * disk it ends the tool by finish(). */
static int flush_names(struct producer *p)
{
	struct err e;

	if (out_gathered() == 0 || out_flush(&e) == 0)
		return 0;
	if (!p->unnamed)
		out_failed(&e);
	p->unnamed = p->unnamed || e.status != DQ_STOPPED;
	p->status = worse(p->status, e.status);
	return -1;
}

/* lost reports an error after which no reply comes. */
static int lost(struct producer *p, const struct err *e)
{
	p->status = worse(p->status, e->status);
	if (!pipeline_wind_up(&p->pipeline, e)) {
		warn("%s: %s: %zu accepted, %zu refused, %zu unknown, %zu not sent", p->queue.name,
		     e->text, p->accepted, p->refused, p->unknown + p->pipeline.unanswered,
		     p->pipeline.unsent);
		p->reported = true;
	}
	print_next(p, true);
	return -1;
}

int producer_refuse(struct producer *p, size_t number, const char *why)
{
	if (number)
		warn("standard input: %s %zu: not put: %s", p->conf.unit, number, why);
	else
		warn("%s: not put: %s", p->queue.name, why);
	p->refused++;
	p->status = worse(p->status, DQ_DATA);
	return 0;
}

/* has_room: the ring grows after FEW messages, and with the known shards of the queue. If one shard
 * has few messages, and they wait for more, it sends all batches. */
static int has_room(struct producer *p)
{
	struct err e;

	if (p->added - p->next < p->room)
		return 0;
	if (make_room(p, room_for(p->queue.shards)) < 0) {
		err_memory(&e);
		return lost(p, &e);
	}
	return p->added - p->next < p->room ? 0 : producer_settle(p);
}

/* make_id writes the whole id of the line. */
static int make_id(struct producer *p, const struct line *line, char id[NAME_MAX_BYTES + 1],
		   struct err *e)
{
	if (line->key_len) {
		memcpy(id, line->key, line->key_len);
		id += line->key_len;
		*id++ = '+';
	}
	if (!line->id)
		return ulid_next(&p->ulid, (uint64_t)clock_wall_us(), id, e);
	memcpy(id, line->id, line->id_len);
	id[line->id_len] = '\0';
	return 0;
}

int producer_add(struct producer *p, const struct line *line)
{
	char id[NAME_MAX_BYTES + 1], why[80];
	const char *texts[3] = {id, line->due[0] ? line->due : p->conf.due};
	size_t lens[3];
	struct err e;

	if (line->len > (size_t)p->conf.max_bytes) {
		snprintf(why, sizeof why,
			 "the payload is over the limit of %lld bytes (--max-bytes)",
			 (long long)p->conf.max_bytes);
		return producer_refuse(p, line->number, why);
	}
	if (make_id(p, line, id, &e) < 0)
		return lost(p, &e);
	p->record.len = 0;
	if (buf_add(&p->record, p->header.bytes, p->header.len) < 0 ||
	    buf_add(&p->record, line->payload, line->len) < 0) {
		err_memory(&e);
		return lost(p, &e);
	}
	texts[2] = p->record.bytes;
	lens[0] = strlen(id);
	lens[1] = strlen(texts[1]);
	lens[2] = p->record.len;
	if (has_room(p) < 0)
		return -1;
	remember(p, line);
	if (pipeline_add(&p->pipeline, &p->queue, texts, lens, &e) < 0)
		return lost(p, &e);
	return flush_names(p);
}

int producer_settle(struct producer *p)
{
	struct err e;

	if (pipeline_finish(&p->pipeline, &e) < 0)
		return lost(p, &e);
	print_next(p, true);
	return flush_names(p);
}

int producer_flush(struct producer *p, struct meanwhile *meanwhile, int64_t *again_at)
{
	struct err e;

	if (pipeline_flush(&p->pipeline, meanwhile, again_at, &e) < 0)
		return lost(p, &e);
	print_next(p, *again_at < 0);
	return flush_names(p);
}

void producer_start(struct producer *p, const struct producer_conf *conf, struct exchange *x,
		    const char *prefix, const char *name)
{
	struct pipeline_conf pipeline = {.script = &script_put, .width = 3, .once = 2,
					 .fixed_count = 4,
					 .fixed = {"", p->rule, p->priority, p->expire},
					 .repeat_at = -1, .repeat = "repeat",
					 .letters = put_letters, .lists = true, .each = on_result,
					 .refused = on_refused, .ctx = p};

	p->conf = *conf;
	p->x = x;
	snprintf(p->rule, sizeof p->rule, "%s%s", conf->existing ? "only-" : "", conf->mode);
	if (!strcmp(conf->mode, "fail"))
		/* in the other modes a repeat has the same effect,
		 * unless the message was settled meanwhile */
		pipeline.repeat_at = 1;
	snprintf(p->priority, sizeof p->priority, "%lld", (long long)conf->message.priority);
	if (conf->expires >= 0)
		snprintf(p->expire, sizeof p->expire, "%lld", (long long)conf->expires);
	p->conf.message.expires = conf->expires >= 0;
	queue_init(&p->queue, x, prefix, name);
	if (make_room(p, FEW) < 0 || header_write(&p->conf.message, &p->header) < 0)
		die(DQ_TEMPORARY, "out of memory");
	pipeline_init(&p->pipeline, x, &pipeline);
}

void producer_free(struct producer *p)
{
	pipeline_free(&p->pipeline);
	queue_free(&p->queue);
	free(p->asked);
	buf_free(&p->header);
	buf_free(&p->record);
}
