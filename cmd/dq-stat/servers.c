#include "servers.h"

#include "redis/nodes.h"
#include "redis/url_text.h"

/* tell asks the node, unless it is the root: first has the root's reply. */
static int tell(struct exchange *x, const struct servers *s, struct node *node, int slots,
		const struct server *first, struct err *e)
{
	struct server own = {.config = false};
	char name[URL_HOST_TEXT];
	struct err why;
	int status = first ? 0 : server_ask(x, node, &own, &why);

	if (status < 0 && why.status == DQ_STOPPED) {
		*e = why;
	} else {
		const struct server_reply t = {.at = node, .slots = slots, .node = name,
					       .server = first ? first : &own,
					       .failed = status < 0 ? &why : NULL};

		url_host_shown(&node->conn.conf.url.server, name);
		status = s->each(s->ctx, &t, e);
	}
	server_free(&own);
	return status;
}

/* each_node counts the slots of each node before it asks: a lost node forgets its slots. */
static int each_node(struct exchange *x, const struct servers *s, const struct server *first,
		     struct err *e)
{
	const struct cluster *all = x->nodes.cluster;
	int slots[NODES_MAX], count = all->count, status = 0;

	for (int i = 0; i < count; i++)
		slots[i] = nodes_slots(all, i);
	for (int i = 0; i < count && status == 0; i++)
		if (slots[i])
			status = tell(x, s, all->all[i], slots[i], i == 0 ? first : NULL, e);
	return status;
}

static int each_of_cluster(struct exchange *x, const struct servers *s, const struct server *first,
			   struct err *e)
{
	struct err why;
	bool known = nodes_all(&x->nodes, NULL, &why) == 0;
	const struct cluster_reply t = {.unassigned = known ? nodes_slots(x->nodes.cluster, -1) : 0,
					.failed = known ? NULL : &why};

	if (!known && why.status == DQ_STOPPED) {
		*e = why;
		return -1;
	}
	if (s->cluster(s->ctx, &t, e) < 0)
		return -1;
	if (known)
		return each_node(x, s, first, e);
	return s->each(s->ctx, &(struct server_reply){.at = &x->nodes.root, .server = first}, e);
}

int servers_each(struct exchange *x, const struct servers *s, struct err *e)
{
	struct server first = {.config = false};
	int status = server_ask(x, &x->nodes.root, &first, e);

	if (status == 0 && server_is(&first, "cluster_enabled", "1"))
		status = each_of_cluster(x, s, &first, e);
	else if (status == 0)
		status = s->each(s->ctx,
				 &(struct server_reply){.at = &x->nodes.root, .server = &first}, e);
	server_free(&first);
	return status;
}
