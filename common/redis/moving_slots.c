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

int64_t nodes_moving_for(const struct conn_conf *conf)
{
	if (conf->retry_named && conf->retry_for > 0)
		return conf->retry_for;
	return clock_later(conf->wait.timeout, conf->retry_for);
}

void nodes_expire(struct nodes *n)
{
	n->moving = MOVING_EXPIRES;
	n->moving_until = clock_ms() + nodes_moving_for(&n->root.conn.conf);
}

/* fails_now: do calls for a slot that is being moved fail now, instead of waiting? */
static bool fails_now(const struct nodes *n, enum moving how)
{
	return how == MOVING_FAILS || (how == MOVING_EXPIRES && clock_ms() >= n->moving_until);
}

static struct moving_slot *find(const struct cluster *all, unsigned slot)
{
	for (int i = 0; i < all->moving_count; i++)
		if (all->moving[i].slot == slot)
			return &all->moving[i];
	return NULL;
}

static struct moving_slot *add(struct cluster *all, unsigned slot)
{
	struct moving_slot *more = realloc(all->moving,
					   (size_t)(all->moving_count + 1) * sizeof *more);

	if (!more)
		return NULL;
	all->moving = more;
	more += all->moving_count++;
	*more = (struct moving_slot){.slot = slot};
	return more;
}

bool nodes_moving_add(struct nodes *n, enum moving how, unsigned slot, struct err *e)
{
	struct moving_slot *m;

	if (!fails_now(n, how) || nodes_make(n) < 0)
		return false;
	m = find(n->cluster, slot);
	if (!m)
		m = add(n->cluster, slot);
	if (!m)
		return false;
	m->pause = clock_backoff(m->pause, AGAIN_MIN, AGAIN_MAX);
	m->retry_at = clock_ms() + m->pause;
	e->fate = FATE_MOVING;
	m->why = *e;
	n->cluster->moving_last = slot;
	return true;
}

bool nodes_moving(const struct nodes *n, enum moving how, unsigned slot, int64_t *retry_at,
		  struct err *e)
{
	const struct moving_slot *m = n->cluster && n->cluster->moving_count ?
					      find(n->cluster, slot) :
					      NULL;

	if (!m || !fails_now(n, how) || clock_ms() >= m->retry_at)
		return false;
	n->cluster->moving_last = slot;
	if (retry_at)
		*retry_at = m->retry_at;
	if (e)
		*e = m->why;
	return true;
}

void nodes_moving_say(struct nodes *n, const char *object, const struct err *e)
{
	struct cluster *all = n->cluster;
	struct moving_slot *m = all ? find(all, all->moving_last) : NULL;

	if (!m || !reasons_add(&m->reasons, e))
		return;
	/* its queue */
	snprintf(m->object, sizeof m->object, "%.*s", (int)strcspn(object, "/"), object);
	session_say(&n->root.session, SESSION_MOVING, m->object, e);
}

void nodes_moved(struct nodes *n, unsigned slot)
{
	const struct err none = {.status = DQ_DONE};
	struct cluster *all = n->cluster;
	struct moving_slot *m = all ? find(all, slot) : NULL;

	if (!m)
		return;
	if (m->reasons.count)
		session_say(&n->root.session, SESSION_MOVED, m->object, &none);
	*m = all->moving[--all->moving_count];
}

int64_t nodes_moving_retry_at(const struct cluster *all)
{
	int64_t now = clock_ms(), first = 0;

	for (int i = 0; i < all->moving_count; i++)
		if (all->moving[i].retry_at > now)
			first = first ? clock_sooner(first, all->moving[i].retry_at) :
					all->moving[i].retry_at;
	return first;
}

int64_t nodes_moving_last_at(const struct cluster *all)
{
	const struct moving_slot *m = find(all, all->moving_last);

	return m ? m->retry_at : 0;
}
