#include "base/holder.h"
#include "message/listing.h"
#include "queue/shards.h"
#include "tool/apply.h"
#include "tool/die.h"
#include "tool/notice.h"

enum { STATES = 5 }; /* listing_states */

struct page {
	struct apply *m;
	struct queue *whole, *q; /* q: the shard of the page */
	struct listing_page *asked; /* begun: the page, or the next one, is on its way */
	int64_t until;
	int shards;  /* of the whole, when its shards were listed */
	bool ended;  /* the limit is reached */
	bool shards_changed; /* the queue has another number of shards */
	int64_t skip;
	/* of the next page, if not all messages of a page are meant */
	struct listing_position position;
};

/* has_other_shards: a reply within the page may show that. The rest of the page then belongs to a
 * queue that was removed. */
static bool has_other_shards(const struct page *p)
{
	return p->whole->shards != p->shards;
}

static int on_listed(void *ctx, const struct listed *l)
{
	struct page *p = ctx;
	const char *holder = p->m->conf.holder;

	if ((p->until >= 0 && l->at > p->until) || has_other_shards(p))
		return -1;
	if (holder && !holder_is(l->holder, l->holder_len, holder))
		return 0;
	p->ended = apply_add_at(p->m, p->whole, p->q, l->id) < 0;
	return p->ended ? -1 : 0;
}

/* page_size: as many as one call takes. With a rate a long page would be old before its end. Of the
 * messages of a page a holder may have few. */
static int page_size(const struct apply *m)
{
	int64_t most = m->conf.rate > 0 ? QUEUE_BATCH : BATCH_ITEMS_MAX, left = apply_left(m);

	return (int)(left < most && !m->conf.holder ? left : most);
}

/* read_page: the messages that another holder has stay where they are,
 * so the next page begins at a position. */
static int read_page(struct page *p, const char *state, int limit, int64_t *n, struct err *e)
{
	if (p->m->conf.holder)
		return listing_next(p->q, state, &p->position, limit, false, on_listed, p, n, e);
	if (!call_begun(&p->asked->call))
		listing_begin(p->asked, p->q, state, p->skip, limit);
	return listing_end(p->asked, p->q, state, on_listed, p, n, e);
}

/* ask_ahead: the next page is asked for behind the calls for this one, which the server does first.
 * To a far server that takes half the time. It may show some of this page, if the slot of the queue
 * is being moved. */
static void ask_ahead(struct page *p, const char *state, int limit)
{
	const struct apply_conf *conf = &p->m->conf;

	if (conf->dry || conf->holder || conf->rate > 0 || conf->limit >= 0)
		return;
	listing_begin(p->asked, p->q, state, p->skip, limit);
	exchange_push(p->m->x);
}

/* do_page returns 1 if there may be more, 0 if that was all, -1 if the tool cannot continue. It
 * skips a page in which nothing could be done, unless it was asked for ahead: then it may be a part
 * of the page before. */
static int do_page(struct page *p, const char *state)
{
	struct apply *m = p->m;
	bool ahead = call_begun(&p->asked->call);
	int64_t before = m->done, n;
	int limit = page_size(m);
	bool first = m->conf.holder ? !p->position.text.len : p->skip == 0;
	struct err e;
	int status = read_page(p, state, limit, &n, &e);

	notice_say(p->q);
	if (p->ended)
		return -1;
	p->shards_changed = status < 0 && e.fate == FATE_SHARDS && first;
	if (p->shards_changed)
		return 0;
	if (status < 0 && e.status != DQ_REPORTED)
		return apply_failed(m, p->q, &e);
	if (status == 0 && n == limit)
		ask_ahead(p, state, limit);
	if (apply_finish(m) < 0)
		return -1;
	if (m->done == before)
		listing_drop(p->asked);
	if (m->conf.dry || (m->done == before && !ahead))
		p->skip += n;
	return status == 0 && n == limit && !m->refused;
}

/* shard_state is apply_all for one shard; 1: the queue has another number of shards. The replies
 * to a page may have said so: then whole has it already. */
static int shard_state(struct apply *m, struct queue *whole, struct queue *q, const char *state,
		       int64_t until, struct listing_page *asked)
{
	struct page page = {.m = m, .whole = whole, .q = q, .asked = asked, .until = until,
			    .shards = whole->shards};
	int more = 1;

	m->paging = true;
	while (more > 0 && apply_left(m) > 0 && !has_other_shards(&page))
		more = do_page(&page, state);
	m->paging = false;
	listing_drop(asked);
	buf_free(&page.position.text);
	if (q->foreign)
		m->status = worse(m->status, DQ_NO);
	return more < 0 || apply_left(m) == 0 ? -1 : page.shards_changed || has_other_shards(&page);
}

/* all_shards: asked: begun: the first page of q is on its way. */
static int all_shards(struct apply *m, struct queue *q, const char *state, int64_t until,
		      struct listing_page *asked)
{
	struct err e;
	int status = 0;

	for (int i = 0; i < q->shards && status == 0; i++) {
		int count = q->shards;
		status = shard_state(m, q, shards_at(q, i), state, until, asked);
		if (status <= 0)
			continue;
		if (q->shards == count && shards_learn(q, &e) < 0)
			return apply_failed(m, q, &e);
		i = -1;
		status = 0;
	}
	return status;
}

int apply_all(struct apply *m, struct queue *q, const char *state, int64_t until)
{
	struct listing_page asked = {.call = {0}};

	if (apply_finish(m) < 0)
		return -1;
	m->refused = false;
	return all_shards(m, q, state, until, &asked);
}

int apply_states(struct apply *m, struct queue *q, const char *list)
{
	struct listing_page asked[STATES] = {{.call = {0}}};
	int status = apply_finish(m), shards = q->shards;

	m->refused = false;
	for (int i = 0; i < STATES && status == 0; i++)
		if (listing_among(list, listing_states[i]))
			listing_begin(&asked[i], q, listing_states[i], 0, page_size(m));
	exchange_push(m->x);
	for (int i = 0; i < STATES && status == 0 && !m->refused; i++) {
		if (q->shards != shards)
			listing_drop(&asked[i]);
		if (listing_among(list, listing_states[i]))
			status = all_shards(m, q, listing_states[i], -1, &asked[i]);
	}
	for (int i = 0; i < STATES; i++)
		listing_drop(&asked[i]);
	return status;
}
