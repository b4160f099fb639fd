#include <string.h>

#include "message/keyed.h"
#include "queue/shards.h"
#include "tool/apply.h"
#include "tool/die.h"
#include "tool/notice.h"

struct found {
	struct apply *m;
	struct queue *q;
	const char *list;
	int64_t count;
	bool ended; /* the limit is reached, or the tool cannot continue */
};

static int on_found(void *ctx, const char *state, const struct listed *l)
{
	struct found *f = ctx;

	if (!listing_among(f->list, state))
		return 0;
	f->count++;
	f->ended = apply_add_at(f->m, f->q, shards_find(f->q, l->id, strlen(l->id)), l->id) < 0;
	return f->ended || f->m->refused ? -1 : 0;
}

int apply_key(struct apply *m, struct queue *q, const char *key, const char *list, int64_t *found)
{
	struct found f = {.m = m, .q = q, .list = list};
	struct err e;
	int status;

	m->refused = false;
	m->paging = true;
	status = keyed_find(q, key, on_found, &f, &e);
	*found = f.count;
	if (!f.ended && apply_finish(m) < 0)
		f.ended = true;
	m->paging = false;
	notice_say(q);
	if (q->foreign)
		m->status = worse(m->status, DQ_NO);
	if (f.ended)
		return -1;
	return status < 0 && e.status != DQ_REPORTED ? apply_failed(m, q, &e) : 0;
}
