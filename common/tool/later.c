#include "tool/later.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "tool/queues.h"

void later_start(struct later *l, struct conn *conn)
{
	*l = (struct later){.conn = conn};
	conn->moving_fails_from = NODES_AT_ONCE;
}

bool later_put(struct later *l, const struct queue *q, const struct err *e)
{
	if (e->fate != FATE_MOVING || !l->conn || l->conn->moving_fails_from != NODES_AT_ONCE ||
	    buf_add(&l->names, q->name, strlen(q->name) + 1) < 0)
		return false;
	l->count++;
	return true;
}

void later_commit(struct later *l)
{
	if (l->conn && l->conn->moving_fails_from == NODES_AT_ONCE)
		l->conn->moving_fails_from = 0;
}

void later_begin(struct later *l)
{
	if (l->conn && l->conn->moving_fails_from == 0)
		l->conn->moving_fails_from = NODES_AT_ONCE;
}

enum status later_run(struct later *l, struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx)
{
	char **names = calloc(l->count + 1, sizeof *names), *name = l->names.bytes;
	enum status status = DQ_DONE;

	if (!names)
		die(DQ_TEMPORARY, "out of memory");
	for (size_t i = 0; i < l->count; i++, name += strlen(name) + 1)
		names[i] = name;
	if (l->count > 0) {
		l->conn->moving_fails_from = clock_ms() + l->conn->conf.wait.timeout;
		status = queues_each(all, names, each, ctx);
	}
	free(names);
	buf_free(&l->names);
	return status;
}
