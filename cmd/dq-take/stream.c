#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "redis/exchange.h"

#define AHEAD_TTR 1000 /* ms */

int stream_init(struct stream *s)
{
	memset(s, 0, sizeof *s);
	s->takes = malloc(STREAM_TAKES * sizeof *s->takes);
	if (!s->takes)
		return -1;
	memset(&s->takes[s->used++], 0, sizeof *s->takes);
	return 0;
}

struct take *stream_last(struct stream *s)
{
	return &s->takes[s->at];
}

/* nth: of those that were asked for ahead, from 1 on. */
static int nth(const struct stream *s, int n)
{
	return (s->at + n) % STREAM_TAKES;
}

/* return_unconfirmed: a failover may lose these leases, and lease the same messages again: no
 * reader may see their receipts. */
static int return_unconfirmed(struct take *take, struct queue *q, struct err *e)
{
	const struct wait firm = wait_firm(&q->x->conf->wait, q->x->conf->wait.timeout);
	struct err late, why = *e;
	int status = take_return(take, q, 0, &firm, &late);

	err_set(e, why.status, "leased, %s: %s%s", why.text,
		status < 0 ? "redelivered when the lease ends: " : "given back",
		status < 0 ? late.text : "");
	e->fate = FATE_UNCONFIRMED;
	return -1;
}

int stream_take(struct stream *s, struct queue *q, const struct take_conf *conf,
		const struct wait *wait, struct err *e)
{
	bool asked = s->ahead > 0;
	int at = asked ? nth(s, 1) : s->at, status;
	struct take *take = &s->takes[at];

	if (!asked) {
		s->sent_us[at] = clock_us();
		take_send(take, q, conf, wait);
	}
	status = take_recv(take, q, wait, e);
	if (asked && status < 0 && e->fate != FATE_UNCONFIRMED && take_expected(take))
		return -1;
	s->at = at;
	s->ahead -= asked;
	if (status == 0)
		window_heard(&s->window, clock_us() - s->sent_us[at]);
	if (asked && status == 0)
		take_timely(take, q, wait);
	return status < 0 && e->fate == FATE_UNCONFIRMED ? return_unconfirmed(take, q, e) : status;
}

bool stream_ask(struct stream *s, struct queue *q, const struct take_conf *conf)
{
	int at = nth(s, s->ahead + 1);

	if (conf->count == 1 || s->ahead == WINDOW_MAX || !stream_last(s)->more ||
	    stream_last(s)->shortest <= AHEAD_TTR)
		return false;
	if (at == s->used)
		memset(&s->takes[s->used++], 0, sizeof *s->takes);
	s->sent_us[at] = clock_us();
	take_send(&s->takes[at], q, conf, NULL);
	exchange_push(q->x);
	s->ahead++;
	return true;
}

int stream_wanted(const struct stream *s)
{
	int n = 0;

	for (int i = 1; i <= s->ahead; i++)
		n += (int)s->takes[nth(s, i)].wanted;
	return n;
}

/* receive reads the replies to all calls made ahead. A call that failed has no deliveries. */
static void receive(struct stream *s, struct queue *q, const struct wait *wait, struct err *e)
{
	for (int i = 1; i <= s->ahead; i++) {
		struct take *take = &s->takes[nth(s, i)];
		if (take_recv(take, q, wait, e) < 0 && e->fate != FATE_UNCONFIRMED)
			take->count = 0;
	}
}

int stream_return(struct stream *s, struct queue *q, size_t from, size_t *lost,
		  const struct wait *wait, struct err *e)
{
	struct call calls[STREAM_TAKES] = {{.script = NULL}};
	struct err later;

	*lost = 0;
	receive(s, q, wait, e);
	for (int i = 0; i <= s->ahead; i++)
		take_return_begin(&s->takes[nth(s, i)], q, i == 0 ? from : 0, &calls[i], wait);
	exchange_push(q->x);
	for (int i = 0; i <= s->ahead; i++) {
		struct take *take = &s->takes[nth(s, i)];
		size_t first = i == 0 ? from : 0;
		if (take_return_end(take, first, &calls[i], wait, *lost ? &later : e) < 0)
			*lost += take->count - first;
	}
	s->ahead = 0;
	return *lost ? -1 : 0;
}

void stream_free(struct stream *s)
{
	for (int i = 0; i < s->used; i++)
		take_free(&s->takes[i]);
	free(s->takes);
}
