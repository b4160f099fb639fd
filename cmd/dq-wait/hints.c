#include "hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "queue/shards.h"
#include "redis/nodes.h"

#define UP_MS 1000 /* for opening a connection, or subscribing: meanwhile nothing is asked */

int hints_init(struct hints *h, struct exchange *x, struct wanted *all, size_t count)
{
	*h = (struct hints){.x = x, .all = all, .count = count};
	h->hinted = calloc(count + 1, sizeof *h->hinted);
	return h->hinted ? 0 : -1;
}

static void close_all(struct hints *h)
{
	for (int i = 0; i < h->node_count; i++) {
		subscription_close(h->nodes[i]);
		free(h->nodes[i]);
	}
	h->node_count = 0;
}

void hints_free(struct hints *h)
{
	close_all(h);
	free(h->cells);
	free(h->hinted);
}

/* --- which message a channel is of: KEY:ID --- */

static uint64_t hash_of(const struct wanted *w)
{
	const struct name_keys *k = &w->heard.shard->keys;
	uint64_t h = text_hash(TEXT_HASH, k->key[PART_OUTCOME], k->len[PART_OUTCOME]);

	return text_hash(text_hash(h, ":", 1), w->name.id, strlen(w->name.id));
}

static bool is_of(const struct wanted *w, const char *channel, size_t len)
{
	const struct queue *shard = w->heard.shard;
	size_t key = shard ? shard->keys.len[PART_OUTCOME] : 0, id = strlen(w->name.id);

	return shard && len == key + 1 + id && !memcmp(channel + key + 1, w->name.id, id) &&
	       !memcmp(channel, shard->keys.key[PART_OUTCOME], key);
}

static void insert(struct hints *h, size_t place)
{
	size_t i = (size_t)hash_of(&h->all[place]) & (h->cap - 1);

	while (h->cells[i] && h->cells[i] != place + 1)
		i = (i + 1) & (h->cap - 1);
	h->used += !h->cells[i];
	h->cells[i] = place + 1;
}

/* index_it: a channel that the message has no longer stays until the cells are made anew. False:
 * out of memory. */
static bool index_it(struct hints *h, size_t place)
{
	if (2 * h->used >= h->cap) {
		size_t cap = 16;
		while (cap < 4 * h->count)
			cap *= 2;
		free(h->cells);
		h->used = 0;
		h->cap = cap;
		h->cells = calloc(cap, sizeof *h->cells);
		if (!h->cells)
			h->cap = 0;
		for (size_t i = 0; i < h->count && h->cells; i++)
			if (h->all[i].heard.shard)
				insert(h, i);
	}
	if (h->cells)
		insert(h, place);
	return h->cells;
}

/* hear: if the subscription is over, what happens from now on gives no hint: so the message is
 * asked for, too. A name may have been given twice. */
static void hear(void *ctx, const char *channel, size_t len, bool over)
{
	struct hints *h = ctx;
	size_t i = h->cap ? (size_t)text_hash(TEXT_HASH, channel, len) & (h->cap - 1) : 0;

	h->over = h->over || over;
	for (; h->cap && h->cells[i]; i = (i + 1) & (h->cap - 1)) {
		struct wanted *w = &h->all[h->cells[i] - 1];
		if (w->ended || !is_of(w, channel, len))
			continue;
		if (!w->hinted)
			h->hinted[h->hinted_count++] = h->cells[i] - 1;
		w->hinted = true;
		if (over)
			w->heard = (struct heard){.shard = NULL};
	}
}

/* home_of: the shard that has the message, and the connection of the questions about it. */
static const struct queue *home_of(const struct hints *h, const struct wanted *w,
				   const struct conn **by)
{
	const struct queue *shard = shards_find(w->queue, w->name.id, strlen(w->name.id));
	const char *key = shard->keys.key[PART_OUTCOME];

	*by = &nodes_at(&h->x->nodes, slot_of(key, strlen(key)))->conn;
	return shard;
}

/* know adds the server of `by`, if it is new. */
static void know(struct hints *h, const struct conn *by)
{
	struct subscription *s;

	for (int i = 0; i < h->node_count; i++)
		if (conn_same_server(&h->nodes[i]->conn, by))
			return;
	s = h->node_count < HINTS_NODES ? malloc(sizeof *s) : NULL;
	if (!s)
		return;
	subscription_init(s, by, hear, h);
	h->nodes[h->node_count++] = s;
}

static bool is_heard(const struct wanted *w, const struct queue *shard,
		     const struct subscription *s)
{
	return w->heard.shard == shard && w->heard.by == s && w->heard.opened == s->conn.opened;
}

/* gather: the messages from *at on that belong on s and are not heard, as many as fit;
 * *at moves behind them. */
static size_t gather(struct hints *h, const struct subscription *s, size_t *at,
		     struct wanted *some[SUBSCRIPTION_TOGETHER])
{
	size_t n = 0;

	for (; *at < h->count && n < SUBSCRIPTION_TOGETHER; ++*at) {
		struct wanted *w = &h->all[*at];
		const struct conn *by;
		const struct queue *shard = home_of(h, w, &by);
		if (w->ended || !conn_same_server(&s->conn, by) || is_heard(w, shard, s))
			continue;
		w->heard = (struct heard){.shard = shard, .by = s, .opened = s->conn.opened};
		if (index_it(h, *at))
			some[n++] = w;
		else
			w->heard = (struct heard){.shard = NULL};
	}
	return n;
}

/* subscribe returns how many of them were subscribed to; -1: DQ_STOPPED. */
static int subscribe(struct subscription *s, struct wanted *const some[], size_t n,
		     const struct wait *wait, struct err *e)
{
	static char texts[SUBSCRIPTION_TOGETHER][NAME_KEY_MAX + NAME_MAX_BYTES + 2];
	const char *channels[SUBSCRIPTION_TOGETHER];
	bool made[SUBSCRIPTION_TOGETHER];
	int status, count = 0;

	for (size_t i = 0; i < n; i++) {
		snprintf(texts[i], sizeof texts[i], "%s:%s",
			 some[i]->heard.shard->keys.key[PART_OUTCOME], some[i]->name.id);
		channels[i] = texts[i];
	}
	status = subscription_add(s, channels, made, n, wait, e);
	for (size_t i = 0; i < n; i++) {
		if (status == 1 && made[i])
			count++;
		else
			some[i]->heard = (struct heard){.shard = NULL};
	}
	return status < 0 ? -1 : count;
}

/* up_on does it on one node. */
static int up_on(struct hints *h, struct subscription *s, const struct wait *wait,
		 struct err *e)
{
	struct wanted *some[SUBSCRIPTION_TOGETHER];
	int up = subscription_up(s, wait, e), made = 0, count = 0;
	size_t at = 0, n;

	while (up > 0 && made >= 0 && !s->refused && s->conn.redis &&
	       (n = gather(h, s, &at, some)) > 0) {
		made = subscribe(s, some, n, wait, e);
		count += made;
	}
	return up < 0 || made < 0 ? -1 : count;
}

int hints_up(struct hints *h, const struct wait *wait, struct err *e)
{
	int64_t soon = clock_ms() + UP_MS;
	struct wait brief = *wait;
	int made = 0;

	h->over = false;
	if (h->refused)
		return 0;
	brief.until = wait->until ? clock_sooner(wait->until, soon) : soon;
	for (size_t i = 0; i < h->count; i++) {
		const struct conn *by;
		home_of(h, &h->all[i], &by);
		if (!h->all[i].ended && by->redis)
			know(h, by);
	}
	for (int i = 0; i < h->node_count && !h->refused; i++) {
		int got = up_on(h, h->nodes[i], &brief, e);
		if (got < 0)
			return -1;
		made += got;
		h->refused = h->nodes[i]->refused;
	}
	if (h->refused)
		close_all(h);
	return made > 0 && !h->refused;
}

bool hints_complete(const struct hints *h)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct wanted *w = &h->all[i];
		if (!w->ended && !(w->keeps && w->heard.shard))
			return false;
	}
	return true;
}

const size_t *hints_take(struct hints *h, size_t *count)
{
	*count = h->hinted_count;
	h->hinted_count = 0;
	return h->hinted;
}

/* lose: its messages are not heard any more. */
static void lose(struct hints *h, const struct subscription *s)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->all[i].heard.by == s)
			h->all[i].heard = (struct heard){.shard = NULL};
	h->over = true;
}

/* listen_all reads from all nodes. True: a connection was lost. */
static bool listen_all(struct hints *h)
{
	bool lost = false;

	for (int i = 0; i < h->node_count; i++) {
		struct subscription *s = h->nodes[i];
		if (subscription_fd(s) < 0)
			continue;
		subscription_read(s);
		if (subscription_fd(s) >= 0)
			continue;
		lose(h, s);
		lost = true;
	}
	return lost;
}

int hints_wait(struct hints *h, int64_t until, int stop_fd, struct err *e)
{
	for (;;) {
		struct pollfd polls[HINTS_NODES + 1] = {{.fd = stop_fd, .events = POLLIN}};
		nfds_t n = 1;

		if (listen_all(h))
			return 0;
		if (h->hinted_count > 0)
			return 1;
		for (int i = 0; i < h->node_count; i++)
			if (subscription_fd(h->nodes[i]) >= 0)
				polls[n++] = (struct pollfd){.fd = subscription_fd(h->nodes[i]),
							     .events = subscription_events(
								     h->nodes[i])};
		if (clock_ms() >= until)
			return 0;
		if (clock_poll(polls, n, until * 1000) > 0 && polls[0].revents)
			return err_set(e, DQ_STOPPED, "stopped");
	}
}
