#include "redis/nodes.h"

#include <stdlib.h>
#include <string.h>

struct node *nodes_node(const struct conn *c)
{
	const struct nodes *all = c->nodes;
	int i = all->count - 1;

	while (i > 0 && all->all[i]->conn != c)
		i--;
	return all->all[i];
}

/* --- the list --- */

/* also_here: the root may be opened at this host, too. */
static void also_here(struct url *u, const struct url_host *host)
{
	if (u->kind != URL_TCP || u->sentinel.master[0] || u->hosts.count >= URL_HOSTS - 1)
		return;
	if (u->hosts.count == 0)
		u->hosts.at[u->hosts.count++] = u->server;
	for (int i = 0; i < u->hosts.count; i++)
		if (u->hosts.at[i].port == host->port && !strcmp(u->hosts.at[i].name, host->name))
			return;
	u->hosts.at[u->hosts.count++] = *host;
}

/* fill makes a node from zeros: that of the root if host is NULL. */
static void fill(struct node *n, struct nodes *all, struct conn *root, const struct url_host *host)
{
	n->conn = host ? &n->own : root;
	if (host) {
		struct url *u = &n->own.conf.url;
		conn_init(&n->own, &root->conf);
		u->kind = URL_TCP;
		u->server = *host;
		u->hosts.count = 0;
		n->own.nodes = all;
		also_here(&root->conf.url, host);
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

int nodes_find(struct nodes *all, const struct url_host *host)
{
	for (int i = 0; i < all->count; i++) {
		const struct url *u = &all->all[i]->conn->conf.url;
		if (u->kind == URL_TCP && u->server.port == host->port && !strcmp(u->server.name, host->name))
			return i;
	}
	return all->count < NODES_MAX && add(all, nodes_root(all), host) == 0 ? all->count - 1 : -1;
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
	number = nodes_find(c->nodes, &host);
	if (number < 0)
		return err_memory(e);
	if (refusal_of(reply) == REFUSAL_MOVED)
		c->nodes->at[slot] = (uint16_t)(number + 1);
	*to = c->nodes->all[number]->conn;
	return 0;
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
