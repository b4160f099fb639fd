#include "check.h"

#include <string.h>

#include "base/clock.h"
#include "redis/server_info.h"
#include "redis/session.h"
#include "redis/url_text.h"
#include "replication.h"
#include "report.h"
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
	struct report *f;
	const struct server *server;
	bool doubt; /* say of a queue, which was named, that it does not exist yet */
	struct err *e;
};

static int judge_queue(struct visit *v, const char *name, bool paused, int64_t token)
{
	if (paused && report_add(v->f, REPORT_WARNING, "paused", "dq-promote --resume resumes it",
				 "%s: takers get no messages", name) < 0)
		return -1;
	return v->server->clock ? rules_judge_token(v->f, name, token, clock_wall() + v->server->ahead) : 0;
}

/* look_at: v->e is what ends the whole check; a queue that cannot be asked is a line of the report, and leaves it as it is. */
static int look_at(void *ctx, struct queue *q)
{
	struct visit *v = ctx;
	bool paused;
	int64_t token;
	struct err e;

	if (queue_paused(q, &paused, &e) < 0 || queue_token(q, &token, &e) < 0 ||
	    (v->doubt && !token && absent_say(q, ABSENT_PUT, false, &e) < 0)) {
		if (unasked(v->f, "queue", q->name, &e) == 0)
			return q->conn->redis ? 0 : -1;
	} else if (memory(judge_queue(v, q->name, paused, token), &e) == 0) {
		return 0;
	}
	*v->e = e;
	return -1;
}

static int look_at_all(struct report *f, const struct server *server, struct queue_set *all, char *const *names, bool quiet, struct err *e)
{
	struct err own = {.status = DQ_DONE};
	struct visit v = {f, server, *names && !quiet, &own};

	if (queue_set_each(all, names, look_at, &v, e) == 0)
		return 0;
	if (e->status != DQ_SAID)
		return unasked(f, "queues", "the list of queues", e);
	if (own.status == DQ_DONE)
		return 0; /* the connection is lost; the report says so */
	*e = own;
	return -1;
}

static int check(struct report *f, struct queue_set *all, char *const *names, bool quiet, struct err *e)
{
	struct server server = {.config = false};
	char shown[URL_TEXT];
	int status;

	url_shown(&all->conn->conf.url, shown);
	if (session_open(all->conn, NULL, e) < 0 || server_ask(all->conn, &server, e) < 0)
		status = unasked(f, "server", e->names_server ? "no answer" : shown, e);
	else
		status = memory(rules_judge(f, &server) < 0 ? -1 : replication_judge(f, &server), e);
	if (status == 0)
		status = replication_ask(f, all->conn, e);
	if (status == 0 && all->conn->redis && server.text.len)
		status = look_at_all(f, &server, all, names, quiet, e);
	server_free(&server);
	return status;
}

static enum status not_reported(const struct err *e)
{
	if (e->status != DQ_STOPPED)
		warn("%s", e->text);
	return e->status;
}

/* write_out returns what the tool ends with. */
static enum status write_out(const struct report *f, bool json)
{
	struct buf text = {NULL, 0, 0};
	enum status status = (enum status)report_worst(f);
	struct err e;

	if ((json ? report_json : report_lines)(&text, f) < 0) {
		err_memory(&e);
		status = not_reported(&e);
	} else if (out_write(text.bytes, text.len, &e) < 0) {
		status = out_failed(&e);
	}
	buf_free(&text);
	return status;
}

enum status check_run(struct queue_set *all, char *const *names, bool json, bool quiet)
{
	struct report found = {NULL, 0};
	enum status status;
	struct err e;

	if (check(&found, all, names, quiet, &e) == 0)
		status = write_out(&found, json);
	else
		status = not_reported(&e);
	report_free(&found);
	return status;
}
