#include "stream.h"

#define AHEAD_TTR 1000 /* ms */

struct take *stream_last(struct stream *s)
{
	return &s->takes[s->at];
}

static struct take *next(struct stream *s)
{
	return &s->takes[!s->at];
}

int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e)
{
	if (!s->ahead)
		return take_run(stream_last(s), q, conf, wait, e);
	if (take_recv(next(s), q, wait, e) < 0) {
		s->ahead = e->status == DQ_STOPPED && q->conn->redis;
		return -1;
	}
	s->ahead = false;
	s->at = !s->at;
	return 0;
}

void stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf)
{
	struct err e;

	if (conf->count == 1 || !stream_last(s)->more || (conf->ttr >= 0 && conf->ttr < AHEAD_TTR))
		return;
	s->ahead = take_send(next(s), q, conf, &e) == 0;
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
	if (s->ahead && take_recv(next(s), q, wait, e) == 0)
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
