#include "redis/confirm.h"

int confirm_check(struct call *call, const struct durability *d, struct err *e)
{
	struct exchange *x = call->x;

	if (!x->tool_repeats || !durability_demoted(d, call))
		return durability_check(d, x->conf, e);
	exchange_cut(call);
	durability_lost(e);
	nodes_note(&x->nodes, call->node, e);
	return -1;
}

int confirm_run(struct exchange *x, struct call *call, const struct wait *wait, struct err *e)
{
	struct durability d = {.waits = 0};
	int status;

	call->confirms = &d;
	status = exchange_run(x, call, wait, e);
	if (status == 0)
		status = confirm_check(call, &d, e);
	call->confirms = NULL;
	durability_free(&d);
	return status;
}

int confirm_possible(struct exchange *x, struct err *e)
{
	struct call call = {0};
	int status = 0;

	if (!x->conf->durable.fsync)
		return 0;
	call_plain(&call, "WAITAOF");
	call_text(&call, "1");
	call_text(&call, "0");
	call_text(&call, "1");
	if (exchange_run(x, &call, NULL, e) < 0 && call.reply)
		status = durability_refused(&call, e);
	call_free(&call);
	return status < 0 && (e->status == DQ_CONFIG || e->status == DQ_AUTH) ? -1 : 0;
}
