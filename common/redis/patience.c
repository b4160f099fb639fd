#include "redis/patience.h"

#include "base/clock.h"

#define PAUSE_MIN 50 /* ms until a refused call is sent again */
#define PAUSE_MAX 1000
#define AGES 30000 /* ms without a refusal: then the next one begins a new time */

static int64_t within(const struct call *call, int64_t at)
{
	return call->wait.until ? clock_sooner(at, call->wait.until) : at;
}

/* failing_since: clock_ms: since when it refuses calls, or is lost; 0: it is well. */
static int64_t failing_since(const struct node *node)
{
	int64_t refused_at = clock_ms() > node->refusal_at + AGES ? 0 : node->refused_at;

	if (refused_at && node->lost_at)
		return clock_sooner(refused_at, node->lost_at);
	return refused_at ? refused_at : node->lost_at;
}

int64_t patience_limit(const struct patience *p, const struct node *node, int64_t from,
		       int64_t at)
{
	int64_t since = failing_since(node);

	if (!since || !patience_has(p) || !p->conf->retry_named)
		return at;
	return clock_sooner(at, clock_later(since + p->conf->retry_for, from + SESSION_LEAST));
}

int64_t patience_lost_until(const struct patience *p, const struct call *call)
{
	if (patience_has(p))
		return patience_until(p, call);
	return within(call, call->node->lost_at + call->wait.timeout);
}

int64_t patience_until(const struct patience *p, const struct call *call)
{
	int64_t since = failing_since(call->node);

	if (patience_has(p))
		return within(call, (since ? since : clock_ms()) + p->conf->retry_for);
	return 0;
}

int64_t patience_moving_until(const struct patience *p, const struct call *call)
{
	int64_t until = patience_until(p, call);

	if (patience_has(p) && p->conf->retry_named)
		return until;
	return clock_later(wait_deadline(&call->wait, clock_ms()), until);
}

int64_t patience_pause(const struct patience *p, const struct call *call)
{
	int64_t refused_at = patience_has(p) ? call->node->refused_at : 0;

	if (refused_at)
		return clock_sooner(clock_later((clock_ms() - refused_at) / 4, PAUSE_MIN),
				    PAUSE_MAX);
	return PAUSE_MIN;
}

/* --- what is said --- */

static void tries(struct patience *p, const struct err *e)
{
	if (!p->since) {
		p->since = clock_ms();
		p->unsteady = p->over_at && p->since < p->over_at + SESSION_LASTS;
	}
	if (p->said || !p->say || clock_ms() < p->since + p->quiet)
		return;
	p->said = true;
	p->say(p, e);
}

/* call_tries: the call is sent again, whether there is patience or not. */
static void call_tries(struct patience *p, struct call *call, const struct err *e)
{
	call->tried = true;
	call_blame(call, e);
	tries(p, e);
}

void patience_tries(struct patience *p, struct call *call, const struct err *e)
{
	if (patience_has(p) || (p && p->nodes->cluster))
		call_tries(p, call, e);
}

bool patience_refused(struct patience *p, struct call *call, const struct err *e)
{
	struct node *node = call->node;
	int64_t now = clock_ms();

	if (!patience_has(p))
		return false;
	if (!node->refused_at || now > node->refusal_at + AGES)
		node->refused_at = now;
	node->refusal_at = now;
	if (now >= patience_until(p, call))
		return false;
	patience_tries(p, call, e);
	return true;
}

void patience_moves(struct patience *p, struct call *call, const struct err *e)
{
	if (patience_has(p))
		patience_refused(p, call, e);
	else if (p)
		call_tries(p, call, e);
}

void patience_answered(struct patience *p, struct call *call)
{
	call->node->refused_at = 0;
	if (!p->since || !(p->all || call->tried) ||
	    (p->unsteady && !session_lasts(&call->node->conn)))
		return;
	if (p->said) {
		p->say(p, NULL);
		p->over_at = clock_ms();
	}
	p->since = 0;
	p->said = p->all = false;
}

/* --- connections --- */

int patience_again(struct patience *p, struct session *s, const struct wait *wait, struct err *e)
{
	struct wait w = *wait;
	int status;

	if (!patience_has(p))
		return session_insist(s, wait, e);
	do {
		tries(p, e);
		w.until = p->say && !p->said ? clock_sooner(wait->until, p->since + p->quiet) :
					       wait->until;
		status = session_insist(s, &w, e);
	} while (status < 0 && w.until < wait->until && err_passes(e));
	return status;
}

int patience_open(struct patience *p, struct node *root, struct err *e)
{
	struct session s = {.conn = &root->conn};
	struct wait wait = p->conf->wait;
	int64_t began = clock_ms();

	if (session_open(&root->session, NULL, e) == 0)
		return 0;
	if (!patience_has(p) || !err_passes(e))
		return -1;
	s.place = root->session.place;
	wait.until = began + p->conf->retry_for;
	session_lost(&s, NULL, e);
	if (patience_again(p, &s, &wait, e) < 0)
		return -1;
	root->session.place = s.place;
	/* a server that accepts, but is loading, is still the same outage */
	root->session.told = p->said;
	root->refused_at = began;
	root->refusal_at = clock_ms();
	p->all = true;
	return 0;
}
