#include "redis/current.h"

#include <hiredis.h>

#include "base/clock.h"
#include "redis/place.h"
#include "redis/replica.h"
#include "redis/sock_wait.h"

#define AGAIN_MS 250

/* ask returns 1 if the data is not current: *why says so. 0: it is, or that is unknown.
 * -1: DQ_STOPPED. tried: it was asked before. */
static int ask(struct exchange *x, bool tried, struct err *why, struct err *e)
{
	struct node *root = &x->nodes.root;
	struct conn *c = &root->conn;
	int64_t refused_at = root->refused_at;
	bool all = x->patience.all;
	struct call call = {0};
	int status;

	call_read(&call, "INFO");
	call_text(&call, "replication");
	/* a server that is loading replies to INFO: no outage ends by that */
	x->patience.all = false;
	status = exchange_ask(x, &call, REDIS_REPLY_STRING, NULL, e);
	x->patience.all = all;
	root->refused_at = refused_at;
	if (status < 0) {
		status = e->status == DQ_STOPPED ? -1 : 0;
	} else {
		replica_heard(c, call.reply);
		call.tried = tried;
		status = c->stale != NULL;
	}
	if (status > 0) {
		err_set(why, DQ_TEMPORARY, "%s", c->stale);
		patience_tries(&x->patience, &call, why);
	} else if (call.reply && tried) {
		patience_answered(&x->patience, &call);
	}
	call_free(&call);
	return status;
}

int current_await(struct exchange *x, struct err *e)
{
	int64_t until = clock_ms() + x->conf->retry_for, now = 0;
	bool tried = false;
	struct err why;
	int status;

	if (!patience_has(calls_patience(x)) || place_has_choice(&x->conf->url))
		return 0;
	while ((status = ask(x, tried, &why, e)) > 0 && now < until) {
		tried = true;
		now = clock_ms();
		if (sock_wait(-1, 0, clock_sooner(now + AGAIN_MS, until), x->conf->wait.stop_fd,
			      e) < 0)
			return -1;
	}
	return status < 0 ? -1 : 0;
}
