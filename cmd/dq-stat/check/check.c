#include "check.h"

#include <string.h>

#include "alerts.h"
#include "base/clock.h"
#include "../limited.h"
#include "../table/counts.h"
#include "redis/errors.h"
#include "redis/nodes.h"
#include "redis/server_info.h"
#include "redis/session.h"
#include "redis/url_text.h"
#include "redis/slot.h"
#include "replication.h"
#include "rules.h"
#include "../servers.h"
#include "tool/absent.h"
#include "tool/diag.h"
#include "tool/out.h"

static int memory(int status, struct err *e)
{
	return status < 0 ? err_memory(e) : 0;
}

static const char *remedy(const struct err *e)
{
	if (errors_find(e->text)->kind == ERROR_BUSY)
		return "SCRIPT KILL ends a script that has written nothing yet";
	if (e->status == DQ_AUTH)
		return "give the password, and allow this user the commands of its role "
		       "(dq-scripts(7), PERMISSIONS)";
	if (e->status == DQ_UNAVAILABLE)
		return "start Redis, or correct the URL";
	return NULL;
}

/* unasked reports a request that failed with *e. A temporary failure is an outage; after other
 * errors the state is unknown. */
static int unasked(struct report *f, const char *what, const char *who, struct err *e)
{
	bool outage = err_passes(e);

	if (e->status == DQ_STOPPED)
		return -1;
	return memory(report_add(f, outage ? REPORT_CRITICAL : REPORT_UNKNOWN, what, remedy(e),
				 "%s: %s", who, e->text),
		      e);
}

/* The clocks of the servers that replied: one server, or the nodes of a cluster. */
struct clocks {
	int count;
	const struct node *node[NODES_MAX];
	int64_t ahead[NODES_MAX];
};

struct visit {
	struct queue_set *all;
	struct alerts *alerts; /* with its report */
	struct clocks clocks;
	bool replied;          /* at least one server replied to INFO */
	bool doubt;            /* report a named queue that does not exist yet */
	struct err over;       /* the error that ends the whole check; DQ_DONE: none */
};

/* judge_past compares the clock with the latest time that the queue has noted. A token holds the
 * time of its take, `listed` that of a put of the last hour, and a ready message its due time. No
 * put needs an extra write for this. */
static int judge_past(struct report *f, const char *name, const struct queue_counts *c, int64_t now)
{
	int64_t take = counts_counter(c, "token") / 1000, listed = counts_counter(c, "listed");
	int64_t put = listed > c->newest_ready ? listed : c->newest_ready;

	return take >= put ? rules_judge_past(f, name, "take", take, now) :
			     rules_judge_past(f, name, "put", put, now);
}

static const int64_t *clock_of(const struct clocks *all, const struct queue *shard)
{
	const struct node *node = nodes_at(&shard->x->nodes, slot_of(shard->keys.key[PART_STAT],
								     shard->keys.len[PART_STAT]));
	int i = 0;

	while (i < all->count && all->node[i] != node)
		i++;
	return i < all->count ? &all->ahead[i] : NULL;
}

/* judge_clock: the latest time of a queue is that of any of its shards, so it is compared with the
 * latest clock of their servers. */
static int judge_clock(struct visit *v, const struct queue *q, const struct queue_counts *c)
{
	int64_t ahead = INT64_MIN;

	for (int i = 0; i < (q->rest ? q->shards : 1); i++) {
		const int64_t *one = clock_of(&v->clocks, i == 0 ? q : &q->rest[i - 1]);
		if (!one)
			return 0;
		ahead = *one > ahead ? *one : ahead;
	}
	return judge_past(v->alerts->report, q->name, c, clock_wall() + ahead);
}

static int judge_queue(struct visit *v, const struct queue *q, const struct queue_counts *c)
{
	struct report *f = v->alerts->report;

	if (limited_paused(c) && c->pause_until < 0 &&
	    report_add(f, REPORT_WARNING, "paused", "dq-set QUEUE paused=no resumes it",
		       "%s: consumers get no messages", q->name) < 0)
		return -1;
	if (c->paused && c->open_shards > 0 &&
	    report_add(f, REPORT_WARNING, "paused",
		       "dq-set QUEUE paused=yes or paused=no for all of them",
		       "%s: consumers get no messages from %d of its %d shards", q->name,
		       c->paused_shards, c->paused_shards + c->open_shards) < 0)
		return -1;
	return judge_clock(v, q, c) < 0 ? -1 : alerts_judge(v->alerts, q->name, c);
}

/* check_queue checks one queue. A queue that cannot be asked is a line of the report. v->over is an
 * error that ends the whole check. */
static int check_queue(void *ctx, struct queue *q)
{
	struct visit *v = ctx;
	struct queue_counts counts;
	struct err e;
	int status = queue_stat_end(v->all->begun, q, &counts, &e);

	v->alerts->report->queue = q->name;
	if (status < 0 ||
	    (v->doubt && !counts.counters && absent_say(q, ABSENT_PUT, false, &e) < 0))
		status = unasked(v->alerts->report, "queue", q->name, &e);
	else
		status = memory(judge_queue(v, q, &counts), &e);
	v->alerts->report->queue = NULL;
	queue_counts_free(&counts);
	if (status < 0)
		v->over = e;
	return status == 0 && nodes_left(&q->x->nodes) ? 0 : -1;
}

static int check_queues(struct visit *v, const struct check *c, struct err *e)
{
	c->all->begin = queue_stat_begin;
	c->all->begins_named = true;
	if (queue_set_each(c->all, c->names, check_queue, v, e) == 0)
		return 0;
	if (e->status != DQ_REPORTED)
		return unasked(v->alerts->report, "queues", "the list of queues", e);
	if (v->over.status == DQ_DONE)
		return 0; /* the connection is lost; the report has it */
	*e = v->over;
	return -1;
}

#define PARTIAL "allow this user cluster|slots; only the node that answered was checked"
#define UNASSIGNED "bring back the nodes that had them, or assign them: CLUSTER ADDSLOTSRANGE"

static int judge_cluster(void *ctx, const struct cluster_reply *t, struct err *e)
{
	struct visit *v = ctx;
	struct report *f = v->alerts->report;

	if (t->failed)
		return memory(report_add(f, REPORT_UNKNOWN, "cluster", PARTIAL,
					 "the nodes are unknown: %s", t->failed->text),
			      e);
	if (t->unassigned == 0)
		return 0;
	return memory(report_add(f, REPORT_CRITICAL, "cluster", UNASSIGNED,
				 "%d of %d slots have no node; their queues are unavailable",
				 t->unassigned, SLOTS),
		      e);
}

static int judge_server(void *ctx, const struct server_reply *t, struct err *e)
{
	struct visit *v = ctx;
	struct report *f = v->alerts->report;
	int status;

	f->node = t->node;
	if (t->failed) {
		*e = *t->failed;
		status = unasked(f, "server", "no answer", e);
	} else {
		status = memory(rules_judge(f, t->server) < 0 ? -1 :
								replication_judge(f, t->server),
				e);
	}
	f->node = NULL;
	if (!t->failed && t->server->clock) {
		v->clocks.node[v->clocks.count] = t->at;
		v->clocks.ahead[v->clocks.count++] = t->server->ahead;
	}
	v->replied = v->replied || !t->failed;
	return status;
}

static int check(struct visit *v, const struct check *c, struct err *e)
{
	struct exchange *x = c->all->x;
	const struct servers servers = {judge_cluster, judge_server, v};
	char shown[URL_TEXT];
	int status = 0;

	url_shown(&x->conf->url, shown);
	if (session_open(x->session, NULL, e) < 0 || servers_each(x, &servers, e) < 0)
		status = v->replied ? -1 :
				      unasked(v->alerts->report, "server",
					      e->names_server ? "no answer" : shown, e);
	if (status == 0)
		status = replication_ask(v->alerts->report, x->conf, e);
	if (status == 0 && nodes_left(&x->nodes) && v->replied)
		status = check_queues(v, c, e);
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
	if (report_summary(text, a->report, a->queues, &a->perf) < 0)
		return -1;
	return report_lines(text, a->report);
}

static enum status write_out(const struct alerts *a, bool json)
{
	struct buf text = {NULL, 0, 0};
	enum status status = DQ_DONE;
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

enum status check_run(const struct check *c, enum report_level *worst)
{
	struct report found = {.count = 0};
	struct alerts alerts = {.warn = c->warn, .crit = c->crit, .report = &found,
				.all = *c->names};
	struct visit v = {.all = c->all, .alerts = &alerts, .doubt = *c->names && !c->quiet,
			  .over = {.status = DQ_DONE}};
	enum status status;
	struct err e;

	if (check(&v, c, &e) == 0)
		status = write_out(&alerts, c->json);
	else
		status = not_reported(&e);
	*worst = report_worst(&found);
	buf_free(&alerts.perf);
	report_free(&found);
	return status;
}
