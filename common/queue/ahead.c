#include "queue/ahead.h"

#include "redis/nodes.h"

struct group {
	struct queue *const *queues;
	struct queue_ahead *ahead;
	int count;
};

/* fail: the connection is lost, and with it the replies to all its calls. */
static void fail(const struct group *g, struct conn *conn, const struct err *e)
{
	conn_close(conn);
	nodes_note(conn, e);
	for (int i = 0; i < g->count; i++)
		if (g->queues[i]->conn == conn)
			g->ahead[i].lost = *e;
}

/* send sends the calls of the i-th queue, until one fails. */
static void send(const struct group *g, int i)
{
	struct queue *q = g->queues[i];
	struct err e;

	for (int k = 0; k < QUEUE_AHEAD && g->ahead[i].calls[k].argc; k++) {
		struct call *call = &g->ahead[i].calls[k];
		if (script_way(q->conn, call, NULL, &q->conn, &e) < 0 || script_send(q->conn, call, &e) < 0) {
			fail(g, q->conn, &e);
			return;
		}
	}
	if (q->conn->nodes && q->conn->redis)
		conn_push(q->conn); /* else it would wait until its reply is read */
}

/* hear reads the replies for the i-th queue. */
static void hear(const struct group *g, int i)
{
	struct conn *conn = g->queues[i]->conn;
	struct call *done;
	struct err e;

	for (int k = 0; k < QUEUE_AHEAD && g->ahead[i].calls[k].argc; k++)
		while (!g->ahead[i].calls[k].reply && g->ahead[i].lost.status == DQ_DONE && conn->redis)
			if (script_recv(conn, NULL, &done, &e) < 0)
				fail(g, conn, &e);
}

void ahead_list(struct queue *array, int count, struct queue *list[AHEAD_MAX])
{
	for (int i = 0; i < count; i++)
		list[i] = &array[i];
}

void ahead_ask_known(struct conn *root, struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
		     void (*make)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q), void *ctx)
{
	const struct group g = {queues, ahead, count};

	for (int i = 0; i < count; i++)
		ahead[i] = (struct queue_ahead){.lost = {.status = DQ_DONE}};
	for (int i = 0; i < count && (i == 0 || nodes_left(root)); i++) {
		make(ctx, ahead[i].calls, queues[i]);
		send(&g, i);
	}
	for (int i = 0; i < count; i++) {
		hear(&g, i);
		queues[i]->ahead = &ahead[i];
	}
}

void ahead_ask(struct conn *root, struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
	       void (*make)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q), void *ctx)
{
	nodes_map(root, NULL);
	ahead_ask_known(root, queues, ahead, count, make, ctx);
}

void ahead_end(struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count)
{
	for (int i = 0; i < count; i++) {
		queues[i]->ahead = NULL;
		for (int k = 0; k < QUEUE_AHEAD; k++)
			call_free(&ahead[i].calls[k]);
	}
}
