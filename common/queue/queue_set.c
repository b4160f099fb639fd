#include "queue/queue_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "queue/registry.h"
#include "redis/nodes.h"

#define CAP_MIN 16

void queue_set_init(struct queue_set *all, struct conn *conn, const char *prefix)
{
	memset(all, 0, sizeof *all);
	all->conn = conn;
	all->prefix = prefix;
}

/* place: where name is, or would go. */
static struct queue **place(struct queue **slots, size_t cap, const char *name)
{
	size_t i = (size_t)text_hash(TEXT_HASH, name, strlen(name)) & (cap - 1);

	while (slots[i] && strcmp(slots[i]->name, name) != 0)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* grow leaves a quarter of the slots free, so that a search ends soon. */
static int grow(struct queue_set *all)
{
	size_t cap = all->cap ? all->cap * 2 : CAP_MIN;
	struct queue **slots;

	if (all->count + 1 <= all->cap / 4 * 3)
		return 0;
	slots = calloc(cap, sizeof(struct queue *));
	if (!slots)
		return -1;
	for (size_t i = 0; i < all->cap; i++)
		if (all->slots[i])
			*place(slots, cap, all->slots[i]->name) = all->slots[i];
	free(all->slots);
	all->slots = slots;
	all->cap = cap;
	return 0;
}

struct queue *queue_set_find(struct queue_set *all, const char *name)
{
	struct queue **at, *q;

	if (grow(all) < 0)
		return NULL;
	at = place(all->slots, all->cap, name);
	q = *at;
	if (q)
		return q;
	q = malloc(sizeof *q);
	if (!q)
		return NULL;
	queue_init(q, all->conn, all->prefix, name);
	*at = q;
	all->count++;
	return q;
}

/* A server works on as many at a time before it turns to others; with 16 it is idle no longer, and they hardly wait. */
#define AHEAD 16

struct visit {
	struct queue_set *all;
	int (*each)(void *ctx, struct queue *q);
	void *ctx;
	struct queue queues[AHEAD]; /* whose turn has not come */
	struct queue_ahead ahead[AHEAD];
	int count;
};

/* fail: that connection is lost, and with it the answers to all that was asked on it. */
static void fail(struct visit *v, struct conn *conn, const struct err *e)
{
	conn_close(conn);
	nodes_note(conn, e);
	for (int i = 0; i < v->count; i++)
		if (v->queues[i].conn == conn && !v->ahead[i].call.reply)
			v->ahead[i].lost = *e;
}

/* send the first call of the i-th. */
static void send(struct visit *v, int i)
{
	struct queue *q = &v->queues[i];
	struct call *call = &v->ahead[i].call;
	struct err e;

	v->all->ahead(v->ctx, call, q);
	q->ahead = &v->ahead[i];
	v->ahead[i].lost.status = DQ_DONE;
	if (script_way(q->conn, call, NULL, &q->conn, &e) < 0 || script_send(q->conn, call, &e) < 0)
		fail(v, q->conn, &e);
	else if (q->conn->nodes)
		conn_push(q->conn); /* else it would wait for its turn to be heard */
}

/* ask_ahead sends the first call of all of them and gets the answers. Where a connection fails, it closes that. */
static void ask_ahead(struct visit *v)
{
	struct conn *root = v->all->conn;
	struct call *done;
	struct err e;

	nodes_map(root, NULL);
	for (int i = 0; i < v->count && (i == 0 || nodes_left(root)); i++)
		send(v, i);
	for (int i = 0; i < v->count; i++) {
		struct queue_ahead *a = &v->ahead[i];
		struct conn *conn = v->queues[i].conn;
		while (!a->call.reply && a->lost.status == DQ_DONE && conn->redis)
			if (script_recv(conn, NULL, &done, &e) < 0)
				fail(v, conn, &e);
		v->queues[i].ahead = a;
	}
}

/* visit_gathered: now it is their turn. */
static int visit_gathered(struct visit *v)
{
	int status = 0;

	if (v->all->ahead)
		ask_ahead(v);
	for (int i = 0; i < v->count && status == 0; i++)
		status = v->each(v->ctx, &v->queues[i]);
	for (int i = 0; i < v->count; i++)
		call_free(&v->ahead[i].call);
	v->count = 0;
	return status;
}

static int visit_name(void *ctx, const char *name)
{
	struct visit *v = ctx;

	queue_init(&v->queues[v->count++], v->all->conn, v->all->prefix, name);
	return v->count == (v->all->ahead ? AHEAD : 1) ? visit_gathered(v) : 0;
}

static int visit_all(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	struct visit *v = calloc(1, sizeof *v); /* 50 KiB: too much for a stack that may not grow */
	int status;

	if (!v)
		return err_memory(e);
	v->all = all;
	v->each = each;
	v->ctx = ctx;
	status = registry_each(all->conn, all->prefix, visit_name, v, e);
	if (status == 0 && visit_gathered(v) < 0)
		status = err_said(e);
	free(v);
	return status;
}

int queue_set_each(struct queue_set *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	if (!*names)
		return visit_all(all, each, ctx, e);
	for (; *names; names++) {
		struct queue *q = queue_set_find(all, *names);
		if (!q)
			return err_memory(e);
		if (each(ctx, q) < 0)
			return err_said(e);
	}
	return 0;
}

void queue_set_free(struct queue_set *all)
{
	for (size_t i = 0; i < all->cap; i++)
		free(all->slots[i]);
	free(all->slots);
}
