#include "taking.h"

#include "redis/nodes.h"

int taking_reconnect(struct taking *t, int64_t deadline, struct err *e)
{
	struct wait wait = t->conn->conf.wait;

	if (deadline == 0 || (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE))
		return -1;
	waiter_lost(&t->waiter);
	nodes_lost(&t->session, t->queues[t->at].name, e);
	wait.until = deadline > 0 ? deadline : 0;
	if (nodes_pause(&t->session, &wait, e) == 0)
		return 0;
	return t->session.status == DQ_DONE ? -1 : err_said(e);
}
