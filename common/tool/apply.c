#include "tool/apply.h"

#include <string.h>

#include "base/clock.h"
#include "queue/listing.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "redis/session.h"
#include "redis/sock.h"
#include "tool/die.h"
#include "tool/notice.h"
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
	else if (!m->paging)
		missed(m, r);
}

/* is_removal: the queue was refused because another client removes it, or makes it: conf.removes. */
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
	warn("%s: %zu message%s %s %s: %s", q->name, n, n == 1 ? "" : "s", e->fate == FATE_UNKNOWN ? "perhaps not" : "not",
	     m->conf.word, e->text);
}

void apply_init(struct apply *m, struct conn *conn, const struct apply_conf *conf)
{
	struct pipeline_conf pipeline = {.script = conf->script, .width = 1, .fixed_count = conf->argument ? 2 : 1,
					 .fixed = {"", conf->argument}, .repeat_at = -1, .single = conf->single,
					 .letters = apply_letters, .each = on_result, .refused = on_refused, .ctx = m};

	memset(m, 0, sizeof *m);
	m->conf = *conf;
	m->conn = conn;
	progress_start(&m->progress, conf->dry ? "found" : conf->word, -1);
	pipeline_init(&m->pipeline, conn, &pipeline);
}

int64_t apply_left(const struct apply *m)
{
	return m->conf.limit < 0 ? INT64_MAX : m->conf.limit > m->done ? m->conf.limit - m->done : 0;
}

/* lost reports an error after which no reply comes; the tool cannot continue. */
static int lost(struct apply *m, const struct err *e)
{
	m->status = worse(m->status, e->status);
	if (!pipeline_wind_up(&m->pipeline, e))
		warn("%s%s: %lld %s, %zu unknown, %zu not sent", m->pipeline.object, e->text, (long long)m->done, m->conf.word,
		     m->pipeline.unanswered, m->pipeline.unsent);
	return -1;
}

int apply_finish(struct apply *m)
{
	struct err e;

	if (pipeline_finish(&m->pipeline, &e) < 0)
		return lost(m, &e);
	return 0;
}

int apply_flush(struct apply *m, int64_t *again_at)
{
	struct err e;

	return pipeline_flush(&m->pipeline, again_at, &e) < 0 ? lost(m, &e) : 0;
}

static int failed(struct apply *m, const struct queue *q, const char *id, const struct err *e)
{
	m->refused = true;
	if (is_removal(m, e))
		return 0;
	m->status = worse(m->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s%s%s: not %s: %s", q->name, id ? "/" : "", id ? id : "", m->conf.word, e->text);
	return nodes_left(m->conn) && e->status != DQ_STOPPED ? 0 : -1;
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

/* show reads one message, and reports what the script would do. */
static int show(struct apply *m, struct queue *q, const char *id)
{
	struct pipeline_result result = {.queue = q, .id = id, .second = ""};
	struct shown shown;
	struct err e;
	int status = listing_show(q, id, false, &shown, &e);

	if (status == 0)
		result.letter = (char)m->conf.would(m->conf.ctx, shown.exists ? shown.state : NULL);
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
		if (apply_flush(m, &again_at) < 0) /* the next call comes soon */
			return -1;
		if (sock_wait(-1, 0, (m->next_at + 999) / 1000, m->conn->conf.wait.stop_fd, &e) < 0)
			return lost(m, &e);
		now = clock_ms() * 1000;
	}
	m->next_at = (m->next_at > now - 1000 ? m->next_at : now) + (999999 + m->conf.rate) / m->conf.rate;
	return 0;
}

/* add: q is the shard of whole that has the message; or whole, if the id is to decide. */
static int add(struct apply *m, struct queue *whole, struct queue *q, const char *id)
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
		return pipeline_add_at(&m->pipeline, whole, q->shard, texts, lens, &e) < 0 ? lost(m, &e) : 0;
	return pipeline_add(&m->pipeline, whole, texts, lens, &e) < 0 ? lost(m, &e) : 0;
}

int apply_add(struct apply *m, struct queue *q, const char *id)
{
	return add(m, q, q, id);
}

struct page {
	struct apply *m;
	struct queue *whole, *q; /* q: the shard of the page */
	int64_t until;
	int shards;  /* of the whole, when its shards were listed */
	bool ended;  /* the limit is reached */
	bool shards_changed; /* the queue has another number of shards */
};

/* has_other_shards: a reply within the page may show that. The rest of the page then belongs to a queue that was removed. */
static bool has_other_shards(const struct page *p)
{
	return p->whole->shards != p->shards;
}

static int on_listed(void *ctx, const struct listed *l)
{
	struct page *p = ctx;

	if ((p->until >= 0 && l->at > p->until) || has_other_shards(p))
		return -1;
	p->ended = add(p->m, p->whole, p->q, l->id) < 0;
	return p->ended ? -1 : 0;
}

/* list reads a page. It may be repeated on a new connection. */
static int list(struct page *p, const char *state, int64_t skip, int limit, int64_t *n, struct err *e)
{
	struct conn *root = p->m->conn, *conn;
	int status = listing_page(p->q, state, skip, limit, on_listed, p, n, e);
	struct session session = {.conn = root};
	struct wait wait = root->conf.wait;

	conn = root->nodes && root->nodes->failed ? root->nodes->failed : root;
	if (status == 0 || e->status != DQ_TEMPORARY || conn->redis)
		return status;
	wait.until = clock_ms() + wait.timeout;
	if (nodes_again(&session, conn, &wait, e) < 0)
		return -1;
	return listing_page(p->q, state, skip, limit, on_listed, p, n, e);
}

/* do_page returns 1 if there may be more, 0 if that was all, -1 if the tool cannot continue. It skips a page in which nothing could be
 * done. */
static int do_page(struct page *p, const char *state, int64_t *skip)
{
	struct apply *m = p->m;
	int64_t before = m->done, left = apply_left(m), n;
	int limit = left < QUEUE_BATCH ? (int)left : QUEUE_BATCH;
	struct err e;
	int status = list(p, state, *skip, limit, &n, &e);

	notice_say(p->q);
	if (p->ended)
		return -1;
	p->shards_changed = status < 0 && e.fate == FATE_SHARDS && *skip == 0;
	if (p->shards_changed)
		return 0;
	if (status < 0 && e.status != DQ_REPORTED)
		return apply_failed(m, p->q, &e);
	if (apply_finish(m) < 0)
		return -1;
	if (m->conf.dry || m->done == before)
		*skip += n;
	return status == 0 && n == limit && !m->refused;
}

/* shard_state is apply_state for one shard; 1: the queue has another number of shards. The replies to a page may have said so: then
 * whole has it already. */
static int shard_state(struct apply *m, struct queue *whole, struct queue *q, const char *state, int64_t until)
{
	struct page page = {.m = m, .whole = whole, .q = q, .until = until, .shards = whole->shards};
	int more = 1;
	int64_t skip = 0;

	m->paging = true;
	while (more > 0 && apply_left(m) > 0 && !has_other_shards(&page))
		more = do_page(&page, state, &skip);
	m->paging = false;
	if (q->foreign)
		m->status = worse(m->status, DQ_NO);
	return more < 0 || apply_left(m) == 0 ? -1 : page.shards_changed || has_other_shards(&page);
}

int apply_state(struct apply *m, struct queue *q, const char *state, int64_t until)
{
	struct err e;
	int status = 0;

	if (apply_finish(m) < 0)
		return -1;
	m->refused = false;
	for (int i = 0; i < q->shards && status == 0; i++) {
		int count = q->shards;
		status = shard_state(m, q, shards_at(q, i), state, until);
		if (status <= 0)
			continue;
		if (q->shards == count && shards_learn(q, &e) < 0)
			return apply_failed(m, q, &e);
		i = -1;
		status = 0;
	}
	return status;
}

void apply_free(struct apply *m)
{
	progress_end(&m->progress);
	pipeline_free(&m->pipeline);
}
