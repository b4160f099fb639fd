#include "stream.h"

#include "redis/exchange.h"

#define AHEAD_TTR 1000 /* ms */

struct take *stream_last(struct stream *s)
{
	return &s->takes[s->at];
}

static struct take *next(struct stream *s)
{
	return &s->takes[!s->at];
}

/* return_unconfirmed: a failover may lose these leases, and lease the same messages again: no reader may see their receipts. */
static int return_unconfirmed(struct take *take, struct queue *q, struct err *e)
{
	const struct wait firm = wait_firm(&q->x->conf->wait, q->x->conf->wait.timeout);
	struct err late, why = *e;
	int status = take_return(take, q, 0, &firm, &late);

	err_set(e, why.status, "leased, %s: %s%s", why.text, status < 0 ? "redelivered when the lease ends: " : "given back",
		status < 0 ? late.text : "");
	e->fate = FATE_UNCONFIRMED;
	return -1;
}

int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e)
{
	struct take *take = s->ahead ? next(s) : stream_last(s);
	int status = s->ahead ? take_recv(take, q, wait, e) : take_run(take, q, conf, wait, e);

	if (s->ahead && status < 0 && e->fate != FATE_UNCONFIRMED) {
		s->ahead = take_expected(take);
		return -1;
	}
	if (s->ahead && status == 0)
		take_timely(take, q, wait);
	s->at ^= s->ahead;
	s->ahead = false;
	return status < 0 && e->fate == FATE_UNCONFIRMED ? return_unconfirmed(take, q, e) : status;
}

void stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf)
{
	if (conf->count == 1 || !stream_last(s)->more || stream_last(s)->shortest <= AHEAD_TTR)
		return;
	take_send(next(s), q, conf, NULL);
	exchange_push(q->x);
	s->ahead = true;
}

/* give_back: *e is the first error. */
static void give_back(struct take *take, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e)
{
	struct err later;

	if (take_return(take, q, from, wait, *lost ? &later : e) < 0)
		*lost += take->count - from;
}

/* The reply in flight precedes any other reply. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e)
{
	*lost = 0;
	if (s->ahead && (take_recv(next(s), q, wait, e) == 0 || e->fate == FATE_UNCONFIRMED))
		give_back(next(s), q, 0, lost, wait, e);
	s->ahead = false;
	give_back(stream_last(s), q, from, lost, wait, e);
	return *lost ? -1 : 0;
}

void stream_free(struct stream *s)
{
	take_free(&s->takes[0]);
	take_free(&s->takes[1]);
}
