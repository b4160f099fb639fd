#include "tool/apply.h"

#include <string.h>

#include "base/clock.h"
#include "base/holder.h"
#include "message/listing.h"
#include "redis/nodes.h"
#include "redis/sock.h"
#include "tool/die.h"
#include "tool/out.h"

static void missed(struct apply *m, const struct pipeline_result *r)
{
	enum status status = m->conf.missed(m->conf.ctx, r);

	m->status = worse(m->status, status);
}

static void on_result(void *ctx, const struct pipeline_result *r)
{
	struct apply *m = ctx;

	progress_tick(&m->progress, m->done, 0);
	m->under_way--;
	if (r->letter == APPLY_OK || (m->paging && r->repeated))
		m->done++; /* the message existed in its page: the first sending removed it */
	else if (!m->paging || m->conf.holder)
		missed(m, r);
}

/* is_removal: the queue was refused because another client removes it,
 * or makes it: conf.removes. */
static bool is_removal(struct apply *m, const struct err *e)
{
	bool is = m->conf.removes && e->fate == FATE_SHARDS;

	m->shards_changed = m->shards_changed || is;
	return is;
}

static void on_refused(void *ctx, const struct queue *q, size_t n, const struct err *e)
{
	struct apply *m = ctx;

	m->under_way -= (int64_t)n;
	m->refused = true;
	if (is_removal(m, e))
		return;
	m->status = worse(m->status, e->status);
	warn("%s: %zu message%s %s %s: %s", q->name, n, n == 1 ? "" : "s",
	     e->fate == FATE_UNKNOWN ? "perhaps not" : "not", m->conf.word, e->text);
}

void apply_init(struct apply *m, struct exchange *x, const struct apply_conf *conf)
{
	struct pipeline_conf pipeline = {.script = conf->script, .width = 1,
					 .fixed_count = conf->argument ? 2 : 1,
					 .fixed = {"", conf->argument}, .repeat_at = -1,
					 .single = conf->single, .letters = apply_letters,
					 .each = on_result, .refused = on_refused, .ctx = m};

	memset(m, 0, sizeof *m);
	m->conf = *conf;
	m->x = x;
	progress_start(&m->progress, conf->dry ? "found" : conf->word, -1);
	pipeline_init(&m->pipeline, x, &pipeline);
}

int64_t apply_left(const struct apply *m)
{
	return m->conf.limit < 0       ? INT64_MAX :
	       m->conf.limit > m->done ? m->conf.limit - m->done :
					 0;
}

/* lost reports an error after which no reply comes; the tool cannot continue. */
static int lost(struct apply *m, const struct err *e)
{
	m->status = worse(m->status, e->status);
	if (!pipeline_wind_up(&m->pipeline, e))
		warn("%s%s: %lld %s, %zu unknown, %zu not sent", m->pipeline.object, e->text,
		     (long long)m->done, m->conf.word, m->pipeline.unanswered, m->pipeline.unsent);
	return -1;
}

int apply_finish(struct apply *m)
{
	struct err e;

	if (pipeline_finish(&m->pipeline, &e) < 0)
		return lost(m, &e);
	return 0;
}

int apply_flush(struct apply *m, struct meanwhile *meanwhile, int64_t *again_at)
{
	struct err e;

	return pipeline_flush(&m->pipeline, meanwhile, again_at, &e) < 0 ? lost(m, &e) : 0;
}

static int failed(struct apply *m, const struct queue *q, const char *id, const struct err *e)
{
	m->refused = true;
	if (is_removal(m, e))
		return 0;
	m->status = worse(m->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s%s%s: not %s: %s", q->name, id ? "/" : "", id ? id : "", m->conf.word,
		     e->text);
	return nodes_left(&m->x->nodes) && e->status != DQ_STOPPED ? 0 : -1;
}

int apply_failed(struct apply *m, const struct queue *q, const struct err *e)
{
	return failed(m, q, NULL, e);
}

static int print(struct apply *m, const struct queue *q, const char *id)
{
	struct err e;

	m->done++;
	progress_tick(&m->progress, m->done, 0);
	out_format("%s/%s\n", q->name, id);
	if (out_gathered() < 65536 || out_flush(&e) == 0)
		return 0;
	m->status = worse(m->status, out_failed(&e));
	return -1;
}

static enum apply_letter would(const struct apply *m, const struct shown *s)
{
	if (s->exists && s->holder_len && m->conf.holder &&
	    !holder_is(s->holder, s->holder_len, m->conf.holder))
		return APPLY_OTHER;
	if (!s->exists && m->conf.frees && s->reserved_until >= 0)
		return APPLY_OK;
	return m->conf.would(m->conf.ctx, s->exists ? s->state : NULL);
}

/* show reads one message, and reports what the script would do. */
static int show(struct apply *m, struct queue *q, const char *id)
{
	struct pipeline_result result = {.queue = q, .id = id, .second = ""};
	struct shown shown;
	struct err e;
	int status = listing_show(q, id, false, &shown, &e);

	if (status == 0)
		result.letter = (char)would(m, &shown);
	listing_shown_free(&shown);
	if (status < 0)
		return failed(m, q, id, &e);
	if (result.letter == APPLY_OK)
		return print(m, q, id);
	missed(m, &result);
	return 0;
}

/* await_rate keeps the rate; before it waits it sends the gathered calls. */
static int await_rate(struct apply *m)
{
	int64_t now = clock_ms() * 1000, again_at;
	struct err e;

	if (m->next_at > now) {
		if (apply_flush(m, NULL, &again_at) < 0) /* the next call comes soon */
			return -1;
		if (sock_wait(-1, 0, (m->next_at + 999) / 1000, m->x->conf->wait.stop_fd, &e) < 0)
			return lost(m, &e);
		now = clock_ms() * 1000;
	}
	m->next_at = (m->next_at > now - 1000 ? m->next_at : now) +
		     (999999 + m->conf.rate) / m->conf.rate;
	return 0;
}

int apply_add_at(struct apply *m, struct queue *whole, struct queue *q, const char *id)
{
	const char *texts[] = {id};
	const size_t lens[] = {strlen(id)};
	struct err e;

	/* Only the replies tell how many calls in flight count. */
	if (m->under_way >= apply_left(m) && m->under_way > 0 && apply_finish(m) < 0)
		return -1;
	if (apply_left(m) == 0)
		return -1;
	if (m->conf.dry)
		return m->paging ? print(m, q, id) : show(m, q, id);
	if (m->conf.rate > 0 && await_rate(m) < 0)
		return -1;
	if (m->paging && q->shards != whole->shards)
		return 0; /* a reply has just shown that: see on_listed */
	m->under_way++;
	if (m->paging)
		return pipeline_add_at(&m->pipeline, whole, q->shard, texts, lens, &e) < 0 ?
			       lost(m, &e) :
			       0;
	return pipeline_add(&m->pipeline, whole, texts, lens, &e) < 0 ? lost(m, &e) : 0;
}

int apply_add(struct apply *m, struct queue *q, const char *id)
{
	return apply_add_at(m, q, q, id);
}

void apply_free(struct apply *m)
{
	progress_end(&m->progress);
	pipeline_free(&m->pipeline);
}
