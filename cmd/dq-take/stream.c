#include "stream.h"

#define AHEAD_TTR 1000 /* ms */

int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e)
{
	struct take old = s->take;

	if (!s->ahead)
		return take_run(&s->take, q, conf, wait, e);
	if (take_recv(&s->next, q, wait, e) < 0) {
		s->ahead = e->status == DQ_STOPPED && q->conn->redis;
		return -1;
	}
	s->ahead = false;
	s->take = s->next;
	s->next = old;
	return 0;
}

void stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf)
{
	struct err e;

	if (conf->count == 1 || !s->take.more || (conf->ttr >= 0 && conf->ttr < AHEAD_TTR))
		return;
	s->ahead = take_send(&s->next, q, conf, &e) == 0;
	if (s->ahead)
		conn_push(q->conn);
}

/* give_back: *e is of the first that failed. */
static void give_back(struct take *take, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e)
{
	struct err later;

	if (take_return(take, q, from, wait, *lost ? &later : e) < 0)
		*lost += take->count - from;
}

/* The answer that is on its way comes before that to anything else. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost, const struct wait *wait, struct err *e)
{
	*lost = 0;
	if (s->ahead && take_recv(&s->next, q, wait, e) == 0)
		give_back(&s->next, q, 0, lost, wait, e);
	s->ahead = false;
	give_back(&s->take, q, from, lost, wait, e);
	return *lost ? -1 : 0;
}

void stream_free(struct stream *s)
{
	take_free(&s->take);
	take_free(&s->next);
}
