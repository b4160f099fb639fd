#include "failed.h"

#include "redis/nodes.h"
#include "redis/replica.h"
#include "redis/url_text.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/out.h"

int failed_show(enum status *worst, const struct exchange *x, const char *queue, const char *id,
		const struct err *e)
{
	*worst = worse(*worst, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s%s%s: not shown: %s", queue, id ? "/" : "", id ? id : "", e->text);
	return nodes_left(&x->nodes) && e->status != DQ_STOPPED ? 0 : -1;
}

int failed_absent(enum status *worst, struct queue *q, bool quiet)
{
	struct err e;
	/* the master of a stale replica may have it */
	int is = replica_stale(&q->x->nodes) ? 0 : absent_say(q, ABSENT_PUT, quiet, &e);

	if (is < 0)
		return failed_show(worst, q->x, q->name, NULL, &e);
	if (is > 0)
		*worst = worse(*worst, DQ_NO);
	return 0;
}

void failed_stale(enum status *worst, const struct exchange *x)
{
	const char *stale = replica_stale(&x->nodes);
	char shown[URL_TEXT];

	if (!stale)
		return;
	url_shown(&x->conf->url, shown);
	warn("%s: %s", shown, stale);
	*worst = worse(*worst, DQ_TEMPORARY);
}

int failed_write(enum status *worst, const struct buf *text)
{
	struct err e;

	if (out_write(text->bytes, text->len, &e) == 0)
		return 0;
	*worst = worse(*worst, out_failed(&e));
	return -1;
}
