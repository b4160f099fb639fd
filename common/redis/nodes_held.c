#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/name.h"
#include "redis/nodes.h"

#define AGAIN_MIN 50 /* ms until the next call for a slot that is being moved */
#define AGAIN_MAX 1000

struct held {
	unsigned slot;
	int64_t pause, retry_at; /* ms; clock_ms */
	bool said;
	char object[NAME_MAX_BYTES + 1]; /* of which it was said */
	struct err why;
};

static const struct conn *root_of(const struct conn *c)
{
	return c->nodes ? nodes_root(c->nodes) : c;
}

/* holds_now: do calls for a slot that is being moved fail now, instead of waiting? */
static bool holds_now(const struct conn *c)
{
	int64_t from = root_of(c)->holds_from;

	return from && clock_ms() >= from;
}

static struct held *find(const struct nodes *all, unsigned slot)
{
	for (int i = 0; i < all->held_count; i++)
		if (all->held[i].slot == slot)
			return &all->held[i];
	return NULL;
}

static struct held *add(struct nodes *all, unsigned slot)
{
	struct held *more = realloc(all->held, (size_t)(all->held_count + 1) * sizeof *more);

	if (!more)
		return NULL;
	all->held = more;
	more += all->held_count++;
	*more = (struct held){.slot = slot};
	return more;
}

bool nodes_hold(struct conn *c, unsigned slot, struct err *e)
{
	struct held *h;

	if (!holds_now(c) || nodes_make(c) < 0)
		return false;
	h = find(c->nodes, slot);
	if (!h)
		h = add(c->nodes, slot);
	if (!h)
		return false;
	h->pause = clock_backoff(h->pause, AGAIN_MIN, AGAIN_MAX);
	h->retry_at = clock_ms() + h->pause;
	e->fate = FATE_HELD;
	h->why = *e;
	c->nodes->held_last = slot;
	return true;
}

bool nodes_held(const struct conn *c, unsigned slot, int64_t *retry_at, struct err *e)
{
	const struct held *h = c->nodes && c->nodes->held_count ? find(c->nodes, slot) : NULL;

	if (!h || !holds_now(c) || clock_ms() >= h->retry_at)
		return false;
	c->nodes->held_last = slot;
	if (retry_at)
		*retry_at = h->retry_at;
	if (e)
		*e = h->why;
	return true;
}

void nodes_held_say(struct session *kept, const char *object, const struct err *e)
{
	struct nodes *all = kept->conn->nodes;
	struct held *h = all ? find(all, all->held_last) : NULL;

	if (!h || h->said)
		return;
	h->said = true;
	snprintf(h->object, sizeof h->object, "%.*s", (int)strcspn(object, "/"), object); /* its queue */
	session_say(kept, SESSION_HELD, h->object, e);
}

void nodes_free_slot(const struct conn *c, unsigned slot)
{
	const struct err none = {.status = DQ_DONE};
	struct nodes *all = c->nodes;
	struct held *h = all ? find(all, slot) : NULL;
	struct session *kept = h ? nodes_root(all)->kept : NULL;

	if (!h)
		return;
	if (h->said && kept)
		session_say(kept, SESSION_FREED, h->object, &none);
	*h = all->held[--all->held_count];
}

int64_t nodes_held_retry_at(const struct nodes *all)
{
	int64_t now = clock_ms(), first = 0;

	for (int i = 0; i < all->held_count; i++)
		if (all->held[i].retry_at > now)
			first = first ? clock_sooner(first, all->held[i].retry_at) : all->held[i].retry_at;
	return first;
}

int64_t nodes_held_last_at(const struct nodes *all)
{
	const struct held *h = find(all, all->held_last);

	return h ? h->retry_at : 0;
}
