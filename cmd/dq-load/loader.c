#include "loader.h"

#include <stdio.h>
#include <string.h>

#include "queue/shards.h"
#include "restore.h"
#include "tool/die.h"
#include "tool/out.h"

#define GATHERED 65536 /* bytes of names per write */

/* leave_paused: the end of the dump is missing. The queue stays paused, and a new dump may be
 * loaded. It returns loader_paused: the load may lose the queue at this moment. */
static const char *leave_paused(struct loader *l)
{
	char place[64];

	if (loader_paused(l) && l->sender.answers.status < DQ_UNAVAILABLE) {
		snprintf(place, sizeof place, "free %lld %lld", (long long)l->at.token,
			 (long long)l->at.dump);
		sender_edge(&l->sender, l->at.name, place);
	}
	return loader_paused(l);
}

/* divide: a queue that does not exist gets the shards that it had when it was dumped;
 * one that does keeps its own. */
static int divide(struct loader *l, const struct dump_line *d)
{
	struct queue *q = d->settings.shards > 1 && !l->conf.dry ?
				  sender_queue(&l->sender, d->queue) :
				  NULL;
	char field[16], begun[16];
	bool exists = true;
	struct err e;
	int status = 0;

	snprintf(begun, sizeof begun, "%d+", (int)d->settings.shards);
	if (q && (status = queue_exists(q, &exists, &e)) == 0 && exists &&
	    (status = shards_field(q, field, &e)) == 0)
		exists = strcmp(field, begun) != 0; /* a load was interrupted */
	if (status == 0 && !exists)
		status = shards_create(q, (int)d->settings.shards, NULL, &e);
	if (status == 0 || e.status == DQ_NO) /* it was made just now */
		return 0;
	answers_failure(&l->sender.answers, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: not divided into %d shards: %s", d->queue, (int)d->settings.shards,
		     e.text);
	return -1;
}

/* note_queue: that of the first line. */
static int note_queue(struct loader *l, const struct dump_line *d)
{
	struct key_pauses key_pauses = l->at.settings.key_pauses; /* its memory is used again */
	struct err e;

	l->at = (struct loading){.settings = d->settings, .dump = d->dump, .token = d->token,
				 .failures = l->sender.answers.failures};
	strcpy(l->at.name, d->queue);
	l->unbegun[0] = '\0';
	l->at.settings.key_pauses = key_pauses;
	if (key_pauses_copy(&l->at.settings.key_pauses, &d->settings.key_pauses, &e) == 0)
		return 0;
	answers_failure(&l->sender.answers, e.status);
	warn("%s", e.text);
	return -1;
}

static int begin(struct loader *l, const struct dump_line *d)
{
	char place[64];
	int shards;

	l->part = true;
	l->whole = false;
	snprintf(place, sizeof place, "begin %lld %lld", (long long)d->token, (long long)d->dump);
	if (sender_settle(&l->sender) < 0)
		return -1;
	if (note_queue(l, d) < 0 || divide(l, d) < 0 ||
	    sender_edge(&l->sender, d->queue, place) < 0)
		return -1;
	if (l->sender.answers.claim_lost) {
		l->at.name[0] = '\0';
		return 0;
	}
	shards = l->conf.dry ? 1 : queue_set_find(&l->sender.queues, d->queue)->shards;
	l->at.over = true;
	l->at.shards = shards;
	for (int i = 0; i < shards; i++) {
		l->at.loaded[i] = l->sender.answers.same[i];
		l->at.over = l->at.over && l->sender.answers.same[i];
	}
	l->over += l->at.over;
	if (l->at.over && l->conf.verbose)
		warn("%s: this dump was loaded whole before: nothing to do", d->queue);
	return 0;
}

/* limit sets the limits before the queue is resumed: with the first message that is taken they
 * hold. False: it stays paused. */
static bool limit(struct loader *l, const struct dump_line *d, const struct dump_settings *settings)
{
	struct queue *q = l->conf.dry ? NULL : sender_queue(&l->sender, d->queue);
	struct err e = {.status = DQ_DONE};

	if (!q || restore_limits(q, settings, &e) == 0)
		return true;
	answers_failure(&l->sender.answers, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: stays paused: its limits are not set: %s", d->queue, e.text);
	return false;
}

/* resume resumes the queue if nothing of it is missing.
 * A pause that has an end was set with the limits. */
static int resume(struct loader *l, const struct dump_line *d, const struct dump_settings *settings)
{
	bool paused = settings->paused && settings->pause_until < 0;
	char place[80];

	if (!limit(l, d, settings))
		return 0;
	snprintf(place, sizeof place, "end %lld %lld %d", (long long)d->token, (long long)d->dump,
		 paused);
	if (sender_edge(&l->sender, d->queue, place) < 0)
		return -1;
	l->paused += paused && !l->conf.dry && !l->sender.answers.edge_refused;
	return 0;
}

static int end(struct loader *l, const struct dump_line *d, struct err *e)
{
	const struct loading was = l->at;

	if (strcmp(was.name, d->queue) || was.dump != d->dump)
		return err_set(e, DQ_DATA, "%s: this line ends the queue, but no line began it",
			       d->queue);
	if (sender_settle(&l->sender) < 0)
		return err_reported(e);
	l->at.name[0] = '\0';
	if (was.messages != d->messages || was.reserved != d->reserved)
		return err_set(e, DQ_DATA,
			       "%s: stays paused: %lld messages and %lld reserved ids were dumped, "
			       "but the input has %lld and %lld",
			       d->queue, (long long)d->messages, (long long)d->reserved,
			       (long long)was.messages, (long long)was.reserved);
	if (l->sender.answers.failures != was.failures && l->sender.answers.claim_lost)
		return 0;
	if (l->sender.answers.failures != was.failures) {
		warn("%s: stays paused: not all of it was loaded; correct this and load it again",
		     d->queue);
		return 0;
	}
	return was.over || resume(l, d, &was.settings) == 0 ? 0 : err_reported(e);
}

/* pass_by skips a message that was loaded before; it may have been acked since. It prints the name
 * all the same, because readers of the names expect it. */
static int pass_by(struct loader *l, const struct dump_line *d)
{
	l->sender.answers.there++;
	if (!l->conf.quiet && !l->conf.dry)
		out_format("%s/%s\n", d->queue, d->id);
	return out_gathered() < GATHERED ? 0 : sender_names(&l->sender);
}

static int add(struct loader *l, const struct dump_line *d)
{
	bool of_dump = !strcmp(l->at.name, d->queue);
	struct queue *q = of_dump && !l->conf.dry ? sender_queue(&l->sender, d->queue) : NULL;

	if (of_dump && d->kind == DUMP_MESSAGE)
		l->at.messages++;
	else if (of_dump)
		l->at.reserved++;
	if (q && q->shards == l->at.shards &&
	    l->at.loaded[shards_of(q->shards, d->id, strlen(d->id))])
		return d->kind == DUMP_MESSAGE ? pass_by(l, d) : 0;
	return sender_line(&l->sender, d, of_dump);
}

/* is_unbegun: is this a line of a dump, and its queue has no valid first line? So the queue is not
 * paused: what was loaded, taken and acked would be loaded again when the load is repeated. Lines
 * that are in no dump need no first line. */
static bool is_unbegun(const struct loader *l, const struct dump_line *d)
{
	return !strcmp(l->unbegun, d->queue) ||
	       (l->part && !l->whole && strcmp(l->at.name, d->queue) != 0);
}

/* refuse reports the queue, not each of its lines. */
static int refuse(struct loader *l, const struct dump_line *d, struct err *e)
{
	bool reported = l->unbegun_said && !strcmp(l->unbegun, d->queue);

	strcpy(l->unbegun, d->queue);
	l->unbegun_said = true;
	err_set(e, DQ_DATA, "%s: not loaded: no valid line began it", d->queue);
	if (!reported)
		return -1;
	loader_failed(l, e);
	return 0;
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
		if (is_unbegun(l, d))
			return refuse(l, d, e);
		return add(l, d) < 0 ? err_reported(e) : 0;
	}
}

void loader_unread(struct loader *l, const struct dump_line *d)
{
	if (!d->begins)
		return;
	strcpy(l->unbegun, d->queue);
	l->unbegun_said = false;
	if (!d->queue[0]) { /* any of those that follow */
		l->part = true;
		l->whole = false;
	}
}

void loader_failed(struct loader *l, const struct err *e)
{
	l->sender.answers.refused += e->status == DQ_DATA;
	answers_failure(&l->sender.answers, e->status);
}

const char *loader_paused(const struct loader *l)
{
	if (l->at.name[0] && l->at.shards > 0 && !l->at.over && !l->conf.dry &&
	    !l->sender.answers.claim_lost)
		return l->at.name;
	return NULL;
}

void loader_close(struct loader *l, const char *input, bool empty)
{
	if (empty) { /* what a dq-dump that failed leaves */
		warn("%s: empty: a dump has a last line, also one of no queue", input);
		answers_failure(&l->sender.answers, DQ_DATA);
	}
	if (l->at.name[0] || (l->part && !l->whole)) {
		const char *paused = leave_paused(l);
		warn("%s: the end of the dump is missing%s%s%s: load the whole dump, or a new one",
		     input, paused ? ": " : "", paused ? paused : "",
		     paused ? " stays paused" : "");
		answers_failure(&l->sender.answers, DQ_DATA);
	}
	l->at.name[0] = '\0';
	l->part = l->whole = false;
	l->unbegun[0] = '\0';
}

int loader_start(struct loader *l, const struct sender_conf *conf, struct exchange *x,
		 const char *prefix, struct err *e)
{
	l->conf = *conf;
	return sender_start(&l->sender, conf, x, prefix, e);
}

void loader_free(struct loader *l)
{
	sender_free(&l->sender);
	key_pauses_free(&l->at.settings.key_pauses);
}
