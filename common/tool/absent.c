#include "tool/absent.h"

#include "redis/nodes.h"
#include "tool/diag.h"

int absent_say(struct queue *q, const char *meaning, bool quiet, struct err *e)
{
	bool exists;

	if (queue_exists(q, &exists, e) < 0)
		/* only a hint: a missing right is no reason to fail */
		return nodes_left(&q->x->nodes) ? 0 : -1;
	if (!exists && !quiet)
		warn("%s: no such queue yet: %s", q->name, meaning);
	return !exists;
}
