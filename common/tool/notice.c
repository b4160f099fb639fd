#include "tool/notice.h"

#include "tool/diag.h"

void notice_say(struct queue *q)
{
	if (q->notice[0])
		warn("%s: %s", q->name, q->notice);
	q->notice[0] = 0;
}
