#include "tool/remark.h"

#include "tool/die.h"

void remark_say(struct queue *q)
{
	if (q->remark[0])
		warn("%s: %s", q->name, q->remark);
	q->remark[0] = 0;
}
