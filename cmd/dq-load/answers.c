#include "answers.h"

#include <string.h>

#include "message/letters.h"
#include "tool/die.h"
#include "tool/out.h"

/* is_edge: does the item begin, end or free a queue? is_message: or is it a message, and no
 * reserved id? The first letter of its place tells. */
static bool is_edge(const struct pipeline_result *r)
{
	return r->second[0] == 'b' || r->second[0] == 'e' || r->second[0] == 'f';
}

static bool is_message(const struct pipeline_result *r)
{
	return !is_edge(r) && r->second[0] != 'r';
}

void answers_failure(struct answers *a, enum status status)
{
	a->failures++;
	a->status = worse(a->status, status);
}

/* on_message tells the user what the letter means: the pipeline passes only load_letters, so it has
 * a place in counts. */
static void on_message(struct answers *a, const struct pipeline_result *r)
{
	size_t *const counts[] = {&a->loaded, &a->there, &a->replaced, &a->kept, &a->refused,
				  a->keep ? &a->kept : &a->refused};
	size_t i = strcspn(load_letters, (const char[]){r->letter, '\0'});
	const char *why = r->letter == PUT_RESERVED ?
				  "its message was acked, and the id is still reserved" :
				  "another message has the id";

	if (r->unconfirmed) {
		a->unknown++;
		answers_failure(a, r->unconfirmed->status);
		warn("%s/%s: %s", r->queue->name, r->id, r->unconfirmed->text);
		return;
	}
	++*counts[i];
	if (counts[i] == &a->refused) {
		answers_failure(a, DQ_NO);
		warn("%s/%s: not loaded: %s (-e)", r->queue->name, r->id, why);
	} else if (counts[i] == &a->kept) {
		if (a->verbose)
			warn("%s/%s: not loaded: %s", r->queue->name, r->id, why);
	} else if (!a->quiet) {
		out_format("%s/%s\n", r->queue->name, r->id);
	}
}

/* edge_failed reports a beginning or an end once for all shards. */
static void edge_failed(struct answers *a, const struct queue *queue, const char *what,
			const struct err *e)
{
	if (!a->edge_refused)
		warn("%s: its %s was %s%s", queue->name, a->edge, what, e->text);
	a->edge_refused = true;
	answers_failure(a, e->status);
}

void answers_each(void *ctx, const struct pipeline_result *r)
{
	struct answers *a = ctx;

	if (is_message(r))
		on_message(a, r);
	else if (r->unconfirmed)
		edge_failed(a, r->queue, "loaded, ", r->unconfirmed);
	if (is_edge(r) && r->letter == PUT_SAME)
		a->same[r->queue->shard] = true;
}

void answers_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct answers *a = ctx;

	bool unknown = e->fate == FATE_UNKNOWN || e->fate == FATE_CLAIM_UNKNOWN;

	if (n == 0) {
		warn("%s: the queue could not be added to the list of queues: %s", queue->name,
		     e->text);
		return;
	}
	if (!a->edge && unknown)
		a->unknown += n;
	else if (!a->edge)
		a->refused += n;
	if (a->claim_lost) /* reported with the first batch */
		return;
	a->claim_lost = e->fate == FATE_CLAIM || e->fate == FATE_CLAIM_UNKNOWN;
	if (a->edge) {
		edge_failed(a, queue, unknown ? "perhaps not loaded: " : "not loaded: ", e);
		return;
	}
	answers_failure(a, e->status);
	warn("%s: %zu message%s %s: %s", queue->name, n, n == 1 ? "" : "s",
	     unknown ? "perhaps not loaded" : "not loaded", e->text);
}
