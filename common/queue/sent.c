#include "queue/sent.h"

#include <hiredis.h>
#include <string.h>

#include "redis/place.h"
#include "redis/refusal.h"

/* is_same: a script that was called ahead must have the same arguments now; a command may have any. */
static bool is_same(const struct call *a, const struct call *b)
{
	if (a->script || b->script)
		return a->script == b->script;
	if (a->argc != b->argc)
		return false;
	for (int i = 0; i < a->argc; i++)
		if (a->lens[i] != b->lens[i] || memcmp(a->argv[i], b->argv[i], a->lens[i]) != 0)
			return false;
	return true;
}

int sent_run(struct conn *c, struct queue_ahead *a, struct call *call, struct err *e)
{
	struct call *sent = a ? a->calls : NULL;

	while (sent && sent < a->calls + QUEUE_AHEAD && (!sent->argc || !is_same(sent, call)))
		sent++;
	if (!sent || sent == a->calls + QUEUE_AHEAD)
		return script_run(c, call, NULL, e);
	sent->argc = 0;
	if (!sent->reply) {
		*e = a->lost;
		return -1;
	}
	if (place_is_wrong(c, sent->reply) || refusal_of(sent->reply) != REFUSAL_NONE)
		return script_run(c, call, NULL, e);
	call->reply = sent->reply;
	sent->reply = NULL;
	return script_check(call, e);
}

int sent_ask(struct conn *c, struct queue_ahead *a, struct call *call, int type, struct err *e)
{
	if (sent_run(c, a, call, e) < 0)
		return -1;
	return call->reply->type == type ? 0 : call_unexpected(call, e);
}
