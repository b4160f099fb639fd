#include "redis/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define NEW_MOST 32  /* new nodes at once; */
#define NEW_MS INT64_C(2000) /* then one in that time */

void nodes_init(struct nodes *n, const struct conn_conf *conf)
{
	conn_init(&n->root.conn, conf); /* as large as all the rest */
	memset(&n->root.session, 0, sizeof n->root.session);
	n->root.session.conn = &n->root.conn;
	n->root.lost_at = n->root.refused_at = n->root.pause = 0;
	n->root.is_new = false;
	n->cluster = NULL;
	n->moving = MOVING_WAITS;
}

/* --- the list --- */

void nodes_also_here(struct nodes *n, const struct url_host *host)
{
	struct url *u = &n->root.conn.conf.url;
	struct cluster *all = n->cluster;

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

/* fill makes a node, which reports as the root does. */
static void fill(struct node *node, const struct node *root, const struct url_host *host)
{
	struct url *u = &node->conn.conf.url;

	*node = (struct node){.is_new = false};
	conn_init(&node->conn, &root->conn.conf);
	u->kind = URL_TCP;
	u->server = *host;
	u->hosts.count = 0;
	node->session = (struct session){.conn = &node->conn, .report = root->session.report,
					 .quiet = root->session.quiet};
}

/* add makes one more node, as fill does; there is room. -1: out of memory. */
static int add(struct nodes *n, const struct url_host *host)
{
	struct node *node = calloc(1, sizeof *node);

	if (!node)
		return -1;
	fill(node, &n->root, host);
	n->cluster->all[n->cluster->count++] = node;
	return 0;
}

int nodes_make(struct nodes *n)
{
	if (n->cluster)
		return 0;
	n->cluster = calloc(1, sizeof *n->cluster);
	if (!n->cluster)
		return -1;
	n->cluster->all[n->cluster->count++] = &n->root;
	n->root.session.place.any_node = true;
	return 0;
}

/* oldest is the node that was named longest ago, of those that nothing needs: it has no slot, as
 * far as is known, and no call is in flight to it. 0, that of the root: there is none. Whoever
 * still has its connection for a queue gets another one by the slot. */
static int oldest(const struct cluster *all)
{
	bool needed[NODES_MAX] = {true};
	int found = 0;

	for (int slot = 0; slot < SLOTS; slot++)
		if (all->at[slot])
			needed[all->at[slot] - 1] = true;
	for (int i = 1; i < all->count; i++) {
		const struct node *node = all->all[i];
		if (!needed[i] && !node->conn.pending && node != all->failed &&
		    (!found || node->named < all->all[found]->named))
			found = i;
	}
	return found;
}

static int known(const struct cluster *all, const struct url_host *host)
{
	for (int i = 0; i < all->count; i++) {
		const struct url *u = &all->all[i]->conn.conf.url;
		if (u->kind == URL_TCP && u->server.port == host->port &&
		    !strcmp(u->server.name, host->name))
			return i;
	}
	return -1;
}

/* admit returns the index of a new node; -1: no memory, or too many nodes. */
static int admit(struct nodes *n, const struct url_host *host)
{
	struct cluster *all = n->cluster;
	int i = all->count >= NODES_KEPT ? oldest(all) : 0;

	if (i == 0)
		return all->count < NODES_MAX && add(n, host) == 0 ? all->count - 1 : -1;
	conn_close(&all->all[i]->conn);
	fill(all->all[i], &n->root, host);
	return i;
}

int nodes_find(struct nodes *n, const struct url_host *host)
{
	int i = known(n->cluster, host);

	if (i < 0)
		i = admit(n, host);
	if (i >= 0)
		n->cluster->all[i]->named = ++n->cluster->names;
	return i;
}

void nodes_complete(const struct conn *c, struct url_host *host)
{
	if (!host->name[0])
		strcpy(host->name,
		       c->conf.url.kind == URL_UNIX ? "127.0.0.1" : c->conf.url.server.name);
}

int nodes_slots(const struct cluster *all, int i)
{
	int n = 0;

	for (int slot = 0; slot < SLOTS; slot++)
		n += all->at[slot] == i + 1;
	return n;
}

struct node *nodes_at(struct nodes *n, unsigned slot)
{
	int number = n->cluster ? n->cluster->at[slot] : 0;

	return number ? n->cluster->all[number - 1] : &n->root;
}

/* is_flooded: did so many new nodes come that this one must wait? Those that do the calls for a
 * slot do not count. */
static bool is_flooded(struct cluster *all)
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
static int find_new(struct nodes *n, const struct url_host *host, struct err *e)
{
	struct cluster *all = n->cluster;
	bool is_new = known(all, host) < 0;
	int number;

	if (is_new && is_flooded(all))
		return NODES_MAX;
	number = nodes_find(n, host);
	if (number < 0)
		return all->count < NODES_MAX ?
			       err_memory(e) :
			       err_set(e, DQ_TEMPORARY, "more than %d nodes have slots", NODES_MAX);
	if (is_new) {
		all->all[number]->is_new = true;
		all->all[number]->session.quiet = all->all[number]->session.quiet ||
						  all->next_new > clock_ms() - NEW_MS;
	}
	return number;
}

int nodes_learn(struct nodes *n, struct node *by, const struct redisReply *reply, struct node **to,
		struct err *e)
{
	struct url_host host;
	unsigned slot;
	int number;

	if (refusal_where(reply, &slot, &host) < 0)
		return err_set(e, DQ_INTERNAL, "invalid redirection");
	if (nodes_make(n) < 0)
		return err_memory(e);
	nodes_complete(&by->conn, &host);
	number = find_new(n, &host, e);
	if (number < 0)
		return -1;
	if (refusal_of(reply) == REFUSAL_MOVED)
		n->cluster->at[slot] = (uint16_t)(number < NODES_MAX ? number + 1 : 0);
	if (number < NODES_MAX)
		*to = n->cluster->all[number];
	return number < NODES_MAX ? 0 : 1;
}

void nodes_serves(struct nodes *n, struct node *node)
{
	node->is_new = false;
	n->cluster->next_new -= NEW_MS;
	nodes_also_here(n, &node->conn.conf.url.server);
}

void nodes_forget(struct nodes *n, unsigned slot)
{
	if (n->cluster)
		n->cluster->at[slot] = 0;
}

void nodes_forget_all(struct nodes *n, const struct node *node)
{
	struct cluster *all = n->cluster;

	for (int i = 0; i < SLOTS; i++)
		if (all->at[i] && all->all[all->at[i] - 1] == node)
			all->at[i] = 0;
}

/* --- all of them --- */

void nodes_push(struct nodes *n)
{
	for (int i = 0; i < nodes_count(n); i++)
		if (nodes_node(n, i)->conn.redis)
			conn_push(&nodes_node(n, i)->conn);
}

void nodes_close(struct nodes *n)
{
	struct cluster *all = n->cluster;

	conn_close(&n->root.conn);
	for (int i = 1; all && i < all->count; i++) {
		conn_close(&all->all[i]->conn);
		free(all->all[i]);
	}
	if (all)
		free(all->moving);
	free(all);
	n->cluster = NULL;
}
