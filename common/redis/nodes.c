#include "redis/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define NEW_MOST 32  /* new nodes at once; */
#define NEW_MS INT64_C(2000) /* then one in that time */

struct node *nodes_node(const struct conn *c)
{
	const struct nodes *all = c->nodes;
	int i = all->count - 1;

	while (i > 0 && all->all[i]->conn != c)
		i--;
	return all->all[i];
}

/* --- the list --- */

void nodes_also_here(struct nodes *all, const struct url_host *host)
{
	struct url *u = &nodes_root(all)->conf.url;

	if (u->kind != URL_TCP || u->sentinel.master[0])
		return;
	if (u->hosts.count == 0)
		u->hosts.at[u->hosts.count++] = u->server;
	if (!all->named)
		all->named = u->hosts.count;
	for (int i = 0; i < u->hosts.count; i++)
		if (u->hosts.at[i].port == host->port && !strcmp(u->hosts.at[i].name, host->name))
			return;
	if (u->hosts.count < URL_HOSTS - 1)
		u->hosts.at[u->hosts.count++] = *host;
	else if (u->hosts.count > all->named)
		u->hosts.at[all->named + all->replaced++ % (u->hosts.count - all->named)] = *host;
}

/* fill makes a node, that of the root if host is NULL. */
static void fill(struct node *n, struct nodes *all, struct conn *root, const struct url_host *host)
{
	*n = (struct node){.conn = host ? &n->own : root};
	if (host) {
		struct url *u = &n->own.conf.url;
		conn_init(&n->own, &root->conf);
		u->kind = URL_TCP;
		u->server = *host;
		u->hosts.count = 0;
		n->own.nodes = all;
	}
	n->session.conn = n->conn;
	if (host && root->kept)
		n->session = (struct session){.conn = n->conn, .report = root->kept->report, .quiet = root->kept->quiet};
}

/* add makes one more node, as fill does; there is room. -1: out of memory. */
static int add(struct nodes *all, struct conn *root, const struct url_host *host)
{
	struct node *n = calloc(1, sizeof *n);

	if (!n)
		return -1;
	fill(n, all, root, host);
	all->all[all->count++] = n;
	return 0;
}

int nodes_make(struct conn *root)
{
	struct nodes *all = root->nodes ? root->nodes : calloc(1, sizeof *all);

	if (all && !root->nodes && add(all, root, NULL) < 0) {
		free(all);
		all = NULL;
	}
	root->nodes = all;
	return all ? 0 : -1;
}

/* oldest is the node that was named longest ago, of those that nothing needs: it has no slot, as far as is known, and no call is in flight
 * to it. 0, that of the root: there is none. Whoever still has its connection for a queue gets another one by the slot. */
static int oldest(const struct nodes *all)
{
	bool needed[NODES_MAX] = {true};
	int found = 0;

	for (int slot = 0; slot < SLOTS; slot++)
		if (all->at[slot])
			needed[all->at[slot] - 1] = true;
	for (int i = 1; i < all->count; i++) {
		const struct node *n = all->all[i];
		if (!needed[i] && !n->conn->pending && n->conn != all->failed && (!found || n->named < all->all[found]->named))
			found = i;
	}
	return found;
}

static int known(const struct nodes *all, const struct url_host *host)
{
	for (int i = 0; i < all->count; i++) {
		const struct url *u = &all->all[i]->conn->conf.url;
		if (u->kind == URL_TCP && u->server.port == host->port && !strcmp(u->server.name, host->name))
			return i;
	}
	return -1;
}

/* admit returns the index of a new node; -1: no memory, or too many nodes. */
static int admit(struct nodes *all, const struct url_host *host)
{
	int i = all->count >= NODES_KEPT ? oldest(all) : 0;

	if (i == 0)
		return all->count < NODES_MAX && add(all, nodes_root(all), host) == 0 ? all->count - 1 : -1;
	conn_close(&all->all[i]->own);
	fill(all->all[i], all, nodes_root(all), host);
	return i;
}

int nodes_find(struct nodes *all, const struct url_host *host)
{
	int i = known(all, host);

	if (i < 0)
		i = admit(all, host);
	if (i >= 0)
		all->all[i]->named = ++all->names;
	return i;
}

void nodes_complete(const struct conn *c, struct url_host *host)
{
	if (!host->name[0])
		strcpy(host->name, c->conf.url.kind == URL_UNIX ? "127.0.0.1" : c->conf.url.server.name);
}

int nodes_slots(const struct nodes *all, int i)
{
	int n = 0;

	for (int slot = 0; slot < SLOTS; slot++)
		n += all->at[slot] == i + 1;
	return n;
}

struct conn *nodes_at(struct conn *c, unsigned slot)
{
	const struct nodes *all = c->nodes;
	int number = all ? all->at[slot] : 0;

	return !all ? c : number ? all->all[number - 1]->conn : nodes_root(all);
}

/* is_flooded: did so many new nodes come that this one must wait? Those that do the calls for a slot do not count. */
static bool is_flooded(struct nodes *all)
{
	int64_t now = clock_ms();

	if (all->next_new < now - NEW_MOST * NEW_MS)
		all->next_new = now - NEW_MOST * NEW_MS;
	if (all->next_new > now)
		return true;
	all->next_new += NEW_MS;
	return false;
}

/* find_new is nodes_find for a node that a reply names. -1: error; NODES_MAX: not now. */
static int find_new(struct nodes *all, const struct url_host *host, struct err *e)
{
	bool is_new = known(all, host) < 0;
	int number;

	if (is_new && is_flooded(all))
		return NODES_MAX;
	number = nodes_find(all, host);
	if (number < 0)
		return all->count < NODES_MAX ? err_memory(e) : err_set(e, DQ_TEMPORARY, "more than %d nodes have slots", NODES_MAX);
	if (is_new) {
		all->all[number]->own.is_new = true;
		all->all[number]->session.quiet = all->all[number]->session.quiet || all->next_new > clock_ms() - NEW_MS;
	}
	return number;
}

int nodes_learn(struct conn *c, const struct redisReply *reply, struct conn **to, struct err *e)
{
	struct url_host host;
	unsigned slot;
	int number;

	if (refusal_where(reply, &slot, &host) < 0)
		return err_set(e, DQ_INTERNAL, "invalid redirection");
	if (nodes_make(c) < 0)
		return err_memory(e);
	nodes_complete(c, &host);
	number = find_new(c->nodes, &host, e);
	if (number < 0)
		return -1;
	if (refusal_of(reply) == REFUSAL_MOVED)
		c->nodes->at[slot] = (uint16_t)(number < NODES_MAX ? number + 1 : 0);
	if (number < NODES_MAX)
		*to = c->nodes->all[number]->conn;
	return number < NODES_MAX ? 0 : 1;
}

void nodes_serves(struct conn *c)
{
	c->is_new = false;
	c->nodes->next_new -= NEW_MS;
	nodes_also_here(c->nodes, &c->conf.url.server);
}

void nodes_forget(const struct conn *c, unsigned slot)
{
	if (c->nodes)
		c->nodes->at[slot] = 0;
}

void nodes_forget_all(const struct conn *c)
{
	struct nodes *all = c->nodes;

	for (int i = 0; i < SLOTS; i++)
		if (all->at[i] && all->all[all->at[i] - 1]->conn == c)
			all->at[i] = 0;
}

/* --- all of them --- */

void nodes_push(const struct conn *c)
{
	for (int i = 0; c->nodes && i < c->nodes->count; i++)
		if (c->nodes->all[i]->conn->redis)
			conn_push(c->nodes->all[i]->conn);
}

void nodes_close(struct conn *c)
{
	struct nodes *all = c->nodes;

	conn_close(c);
	c->nodes = NULL;
	for (int i = 0; all && i < all->count; i++) {
		conn_close(&all->all[i]->own);
		free(all->all[i]);
	}
	if (all)
		free(all->moving);
	free(all);
}
