#include "message/listing.h"
#include "queue/shards.h"
#include "tool/apply.h"
#include "tool/die.h"
#include "tool/notice.h"

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
	p->ended = apply_add_at(p->m, p->whole, p->q, l->id) < 0;
	return p->ended ? -1 : 0;
}

/* do_page returns 1 if there may be more, 0 if that was all, -1 if the tool cannot continue. It skips a page in which nothing could be
 * done. */
static int do_page(struct page *p, const char *state, int64_t *skip)
{
	struct apply *m = p->m;
	int64_t before = m->done, left = apply_left(m), n;
	int limit = left < QUEUE_BATCH ? (int)left : QUEUE_BATCH;
	struct err e;
	int status = listing_page(p->q, state, *skip, limit, on_listed, p, &n, &e);

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
