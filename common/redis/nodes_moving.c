#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/name.h"
#include "base/reasons.h"
#include "redis/nodes.h"

#define AGAIN_MIN 50 /* ms until the next call for a slot that is being moved */
#define AGAIN_MAX 1000

struct moving_slot {
	unsigned slot;
	int64_t pause, retry_at; /* ms; clock_ms */
	struct reasons reasons; /* reported */
	char object[NAME_MAX_BYTES + 1]; /* of which they were reported */
	struct err why;
};

static const struct conn *root_of(const struct conn *c)
{
	return c->nodes ? nodes_root(c->nodes) : c;
}

/* fails_now: do calls for a slot that is being moved fail now, instead of waiting? */
static bool fails_now(const struct conn *c)
{
	int64_t from = root_of(c)->moving_fails_from;

	return from && clock_ms() >= from;
}

static struct moving_slot *find(const struct nodes *all, unsigned slot)
{
	for (int i = 0; i < all->moving_count; i++)
		if (all->moving[i].slot == slot)
			return &all->moving[i];
	return NULL;
}

static struct moving_slot *add(struct nodes *all, unsigned slot)
{
	struct moving_slot *more = realloc(all->moving, (size_t)(all->moving_count + 1) * sizeof *more);

	if (!more)
		return NULL;
	all->moving = more;
	more += all->moving_count++;
	*more = (struct moving_slot){.slot = slot};
	return more;
}

bool nodes_moving_add(struct conn *c, unsigned slot, struct err *e)
{
	struct moving_slot *m;

	if (!fails_now(c) || nodes_make(c) < 0)
		return false;
	m = find(c->nodes, slot);
	if (!m)
		m = add(c->nodes, slot);
	if (!m)
		return false;
	m->pause = clock_backoff(m->pause, AGAIN_MIN, AGAIN_MAX);
	m->retry_at = clock_ms() + m->pause;
	e->fate = FATE_MOVING;
	m->why = *e;
	c->nodes->moving_last = slot;
	return true;
}

bool nodes_moving(const struct conn *c, unsigned slot, int64_t *retry_at, struct err *e)
{
	const struct moving_slot *m = c->nodes && c->nodes->moving_count ? find(c->nodes, slot) : NULL;

	if (!m || !fails_now(c) || clock_ms() >= m->retry_at)
		return false;
	c->nodes->moving_last = slot;
	if (retry_at)
		*retry_at = m->retry_at;
	if (e)
		*e = m->why;
	return true;
}

void nodes_moving_say(struct session *kept, const char *object, const struct err *e)
{
	struct nodes *all = kept->conn->nodes;
	struct moving_slot *m = all ? find(all, all->moving_last) : NULL;

	if (!m || !reasons_add(&m->reasons, e))
		return;
	snprintf(m->object, sizeof m->object, "%.*s", (int)strcspn(object, "/"), object); /* its queue */
	session_say(kept, SESSION_MOVING, m->object, e);
}

void nodes_moved(const struct conn *c, unsigned slot)
{
	const struct err none = {.status = DQ_DONE};
	struct nodes *all = c->nodes;
	struct moving_slot *m = all ? find(all, slot) : NULL;
	struct session *kept = m ? nodes_root(all)->kept : NULL;

	if (!m)
		return;
	if (m->reasons.count && kept)
		session_say(kept, SESSION_MOVED, m->object, &none);
	*m = all->moving[--all->moving_count];
}

int64_t nodes_moving_retry_at(const struct nodes *all)
{
	int64_t now = clock_ms(), first = 0;

	for (int i = 0; i < all->moving_count; i++)
		if (all->moving[i].retry_at > now)
			first = first ? clock_sooner(first, all->moving[i].retry_at) : all->moving[i].retry_at;
	return first;
}

int64_t nodes_moving_last_at(const struct nodes *all)
{
	const struct moving_slot *m = find(all, all->moving_last);

	return m ? m->retry_at : 0;
}
