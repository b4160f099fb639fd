#include "check.h"

#include <string.h>

#include "alerts.h"
#include "base/clock.h"
#include "counts.h"
#include "redis/nodes.h"
#include "redis/server_info.h"
#include "redis/session.h"
#include "redis/url_text.h"
#include "replication.h"
#include "rules.h"
#include "tool/absent.h"
#include "tool/diag.h"
#include "tool/out.h"

static int memory(int status, struct err *e)
{
	return status < 0 ? err_memory(e) : 0;
}

static const char *remedy(const struct err *e)
{
	if (!strncmp(e->text, "BUSY", 4))
		return "SCRIPT KILL ends a script that has written nothing yet";
	if (e->status == DQ_AUTH)
		return "give the password, and allow this user the commands of its role (dq-scripts(7), PERMISSIONS)";
	if (e->status == DQ_UNAVAILABLE)
		return "start Redis, or correct the URL";
	return NULL;
}

/* unasked: a request failed with *e. A temporary failure is an outage; other errors: state unknown. */
static int unasked(struct report *f, const char *what, const char *who, struct err *e)
{
	bool outage = e->status == DQ_UNAVAILABLE || e->status == DQ_TEMPORARY;

	if (e->status == DQ_STOPPED)
		return -1;
	return memory(report_add(f, outage ? REPORT_CRITICAL : REPORT_UNKNOWN, what, remedy(e), "%s: %s", who, e->text), e);
}

struct visit {
	struct alerts *alerts; /* with the report */
	const struct server *server;
	bool doubt; /* say of a queue, which was named, that it does not exist yet */
	struct err *e;
};

/* judge_past: of all that the queue notes of its past, without a write more in each put, the latest: a token has the time of its take, listed
 * that of a put of the last hour, and a ready message was due when it became ready. */
static int judge_past(struct report *f, const char *name, const struct queue_counts *c, int64_t now)
{
	int64_t take = counts_counter(c, "token") / 1000, listed = counts_counter(c, "listed");
	int64_t put = listed > c->newest_ready ? listed : c->newest_ready;

	return take >= put ? rules_judge_past(f, name, "take", take, now) : rules_judge_past(f, name, "put", put, now);
}

static int judge_queue(struct visit *v, const char *name, const struct queue_counts *c)
{
	struct report *f = v->alerts->report;

	if (c->paused && report_add(f, REPORT_WARNING, "paused", "dq-promote --resume resumes it", "%s: takers get no messages", name) < 0)
		return -1;
	if (v->server->clock && judge_past(f, name, c, clock_wall() + v->server->ahead) < 0)
		return -1;
	return alerts_judge(v->alerts, name, c);
}

static void ask_ahead(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	queue_stat_ahead(call, q);
}

/* look_at: v->e is what ends the whole check; a queue that cannot be asked is a line of the report, and leaves it as it is. */
static int look_at(void *ctx, struct queue *q)
{
	struct visit *v = ctx;
	struct queue_counts counts;
	struct err e;
	int status = queue_stat(q, &counts, &e);

	if (status < 0 || (v->doubt && !counts.counters && absent_say(q, ABSENT_PUT, false, &e) < 0))
		status = unasked(v->alerts->report, "queue", q->name, &e);
	else
		status = memory(judge_queue(v, q->name, &counts), &e);
	queue_counts_free(&counts);
	if (status < 0)
		*v->e = e;
	return status == 0 && nodes_left(q->conn) ? 0 : -1;
}

static int look_at_all(struct alerts *alerts, const struct server *server, const struct check *c, struct err *e)
{
	struct err own = {.status = DQ_DONE};
	struct visit v = {alerts, server, *c->names && !c->quiet, &own};

	c->all->ahead = ask_ahead;
	if (queue_set_each(c->all, c->names, look_at, &v, e) == 0)
		return 0;
	if (e->status != DQ_SAID)
		return unasked(alerts->report, "queues", "the list of queues", e);
	if (own.status == DQ_DONE)
		return 0; /* the connection is lost; the report says so */
	*e = own;
	return -1;
}

static int check(struct alerts *alerts, const struct check *c, struct err *e)
{
	struct server server = {.config = false};
	struct conn *conn = c->all->conn;
	char shown[URL_TEXT];
	int status;

	url_shown(&conn->conf.url, shown);
	if (session_open(conn, NULL, e) < 0 || server_ask(conn, &server, e) < 0)
		status = unasked(alerts->report, "server", e->names_server ? "no answer" : shown, e);
	else
		status = memory(rules_judge(alerts->report, &server) < 0 ? -1 : replication_judge(alerts->report, &server), e);
	if (status == 0)
		status = replication_ask(alerts->report, conn, e);
	if (status == 0 && conn->redis && server.text.len)
		status = look_at_all(alerts, &server, c, e);
	server_free(&server);
	return status;
}

static enum status not_reported(const struct err *e)
{
	if (e->status != DQ_STOPPED)
		warn("%s", e->text);
	return e->status;
}

static int write_text(struct buf *text, const struct alerts *a)
{
	return report_summary(text, a->report, a->queues, &a->perf) < 0 ? -1 : report_lines(text, a->report);
}

/* write_out returns what the tool ends with. */
static enum status write_out(const struct alerts *a, bool json)
{
	struct buf text = {NULL, 0, 0};
	enum status status = (enum status)report_worst(a->report);
	struct err e;

	if ((json ? report_json(&text, a->report) : write_text(&text, a)) < 0) {
		err_memory(&e);
		status = not_reported(&e);
	} else if (out_write(text.bytes, text.len, &e) < 0) {
		status = out_failed(&e);
	}
	buf_free(&text);
	return status;
}

enum status check_run(const struct check *c)
{
	struct report found = {NULL, 0};
	struct alerts alerts = {.warn = c->warn, .crit = c->crit, .report = &found, .all = *c->names};
	enum status status;
	struct err e;

	if (check(&alerts, c, &e) == 0)
		status = write_out(&alerts, c->json);
	else
		status = not_reported(&e);
	buf_free(&alerts.perf);
	report_free(&found);
	return status;
}
