#include "redrive.h"

#include <string.h>

#include "queue/stat.h"
#include "tool/diag.h"

/* on_would returns the letter that promote_now,
 * redrive or release would reply for a message in that state. */
static enum apply_letter on_would(void *ctx, const char *state)
{
	const struct redrive *r = ctx;
	bool dead = state && !strcmp(state, "dead");

	if (!state || (!state[0] && !r->dead && !r->release))
		return APPLY_ABSENT;
	if (r->release)
		return !strcmp(state, "leased") ? APPLY_OK : APPLY_STATE;
	if (r->dead)
		return dead ? APPLY_OK : APPLY_STATE;
	return dead                                               ? APPLY_DEAD :
	       !strcmp(state, "delayed") || !strcmp(state, "due") ? APPLY_OK :
								    APPLY_ALREADY;
}

static const char *reason(const struct redrive *r, char letter)
{
	if (letter == APPLY_OTHER)
		return "another consumer has it";
	if (letter == APPLY_ABSENT)
		return "no such message";
	if (letter == APPLY_DEAD)
		return "dead: use --dead";
	return r->release ? "not leased" : "not dead";
}

static enum status on_missed(void *ctx, const struct pipeline_result *m)
{
	struct redrive *r = ctx;

	if (m->letter == APPLY_DEAD && r->release) {
		r->died++;
		if (!r->quiet)
			warn("%s/%s: released, and dead: out of tries", m->queue->name, m->id);
		return DQ_DONE;
	}
	if (r->apply.paging)
		return DQ_DONE; /* it was settled, or taken again, since it was listed */
	if (m->letter == APPLY_ALREADY) {
		if (r->verbose)
			warn("%s/%s: ready or leased already", m->queue->name, m->id);
		return DQ_DONE;
	}
	if (m->repeated) {
		/* The connection was lost before the reply to the first sending, and a consumer may
		 * have taken the message since. */
		warn("%s/%s: not known whether it was %s: the connection was lost", m->queue->name,
		     m->id, r->apply.conf.word);
		return DQ_TEMPORARY;
	}
	if (!r->quiet)
		warn("%s/%s: not %s: %s", m->queue->name, m->id, r->apply.conf.word,
		     reason(r, m->letter));
	return DQ_NO;
}

/* A release is sent alone. By the time that its reply is known to be lost, a consumer may have
 * taken the message; so a missing message is not gone. */
void redrive_init(struct redrive *r, struct exchange *x)
{
	struct apply_conf conf = {.script = &script_promote_now, .word = "promoted",
				  .holder = r->holder, .dry = r->dry, .single = r->release,
				  .limit = r->limit, .rate = r->rate, .would = on_would,
				  .missed = on_missed, .ctx = r};

	if (r->dead) {
		conf.script = &script_redrive;
		conf.word = "redriven";
	} else if (r->release) {
		conf.script = &script_release;
		conf.word = "released";
	}
	if (r->release)
		conf.argument = r->holder ? r->holder : "";
	apply_init(&r->apply, x, &conf);
}

int redrive_queue(struct redrive *r, struct queue *q)
{
	struct queue_counts counts;
	struct err e;
	int status;

	if (r->release)
		return apply_all(&r->apply, q, "leased", -1);
	status = queue_stat(q, &counts, &e);
	queue_counts_free(&counts);
	if (status < 0)
		return apply_failed(&r->apply, q, &e);
	return apply_all(&r->apply, q, "dead", counts.now);
}
