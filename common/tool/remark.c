#include "tool/remark.h"

#include "tool/diag.h"

void remark_say(struct queue *q)
{
	if (q->remark[0])
		warn("%s: %s", q->name, q->remark);
	q->remark[0] = 0;
}
