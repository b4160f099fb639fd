#include "stream.h"

#define AHEAD_TTR 1000 /* ms */

int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, struct err *e)
{
	struct take old = s->take;

	if (!s->ahead)
		return take_run(&s->take, q, conf, e);
	if (take_recv(&s->next, q, e) < 0) {
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

static int give_back(struct take *take, struct queue *q, size_t from, size_t *lost, struct err *e)
{
	if (take_return(take, q, from, e) == 0)
		return 0;
	*lost += take->count - from;
	return -1;
}

/* The answer that is on its way comes before that to anything else. */
int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost, struct err *e)
{
	int status = 0;

	*lost = 0;
	if (s->ahead && take_recv(&s->next, q, e) == 0)
		status = give_back(&s->next, q, 0, lost, e);
	s->ahead = false;
	if (give_back(&s->take, q, from, lost, e) < 0)
		status = -1;
	return status;
}

void stream_free(struct stream *s)
{
	take_free(&s->take);
	take_free(&s->next);
}
