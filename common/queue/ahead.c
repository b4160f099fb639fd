#include "queue/ahead.h"

#include "redis/nodes.h"

struct group {
	struct queue *queues;
	struct queue_ahead *ahead;
	int count;
};

/* fail: that connection is lost, and with it the answers to all that was asked on it. */
static void fail(const struct group *g, struct conn *conn, const struct err *e)
{
	conn_close(conn);
	nodes_note(conn, e);
	for (int i = 0; i < g->count; i++)
		if (g->queues[i].conn == conn && !g->ahead[i].call.reply)
			g->ahead[i].lost = *e;
}

/* send the call of the i-th. */
static void send(const struct group *g, int i)
{
	struct queue *q = &g->queues[i];
	struct call *call = &g->ahead[i].call;
	struct err e;

	g->ahead[i].lost.status = DQ_DONE;
	if (script_way(q->conn, call, NULL, &q->conn, &e) < 0 || script_send(q->conn, call, &e) < 0)
		fail(g, q->conn, &e);
	else if (q->conn->nodes)
		conn_push(q->conn); /* else it would wait for its turn to be heard */
}

void ahead_ask(struct conn *root, struct queue *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
	       void (*make)(void *ctx, struct call *call, struct queue *q), void *ctx)
{
	const struct group g = {queues, ahead, count};
	struct call *done;
	struct err e;

	nodes_map(root, NULL);
	for (int i = 0; i < count && (i == 0 || nodes_left(root)); i++) {
		make(ctx, &ahead[i].call, &queues[i]);
		send(&g, i);
	}
	for (int i = 0; i < count; i++) {
		struct conn *conn = queues[i].conn;
		while (!ahead[i].call.reply && ahead[i].lost.status == DQ_DONE && conn->redis)
			if (script_recv(conn, NULL, &done, &e) < 0)
				fail(&g, conn, &e);
		queues[i].ahead = &ahead[i];
	}
}

void ahead_end(struct queue *queues, struct queue_ahead ahead[AHEAD_MAX], int count)
{
	for (int i = 0; i < count; i++) {
		queues[i].ahead = NULL;
		call_free(&ahead[i].call);
	}
}
