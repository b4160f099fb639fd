#include "verdict.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/durable.h"
#include "base/text.h"
#include "redis/nodes.h"
#include "redis/url_text.h"
#include "tool/diag.h"
#include "tool/stop.h"

/* why writes the reason to store: the last line of the command, or how it ended. code: its exit status, -1 = a signal ended it. */
static void why(struct job *s, int code)
{
	if (s->child.last_len)
		memcpy(s->reason, s->child.last, s->child.last_len + 1);
	else if (code >= 0)
		snprintf(s->reason, sizeof s->reason, "exit status %d", code);
	else
		snprintf(s->reason, sizeof s->reason, "killed by signal %d", WTERMSIG(s->child.status));
}

static enum settle_verb judge(int code, bool give_back)
{
	if (code == 0)
		return SETTLE_DONE;
	if (give_back)
		return SETTLE_GIVE_BACK;
	return code == DQ_DATA ? SETTLE_BURY : SETTLE_RETRY;
}

bool verdict_reach(struct job *s, bool give_back)
{
	int code = WIFEXITED(s->child.status) ? WEXITSTATUS(s->child.status) : -1;

	if (code == 0)
		s->lost = false; /* the command succeeded: a late ack counts if no other consumer took the message */
	s->verdict = judge(code, give_back);
	why(s, code);
	return code != 0;
}

static struct settle_call call_for(const struct job *s)
{
	return settle_call(s->verdict, "", s->reason);
}

static void free_job(struct job *s)
{
	child_free(&s->child);
	call_free(&s->settling);
	s->state = JOB_FREE;
}

static void tell(const struct job *s, enum settle_letter letter, const struct err *e)
{
	char shown[200];

	if (s->unconfirmed && (letter == SETTLED_OK || letter == SETTLED_DEAD))
		warn("%s/%s: settled, %s", s->queue->name, s->id, e->text);
	if (letter == SETTLED_DEAD || (letter == SETTLED_OK && s->verdict == SETTLE_BURY))
		warn("%s/%s: dead: %s", s->queue->name, s->id, text_shown(shown, sizeof shown, s->reason, strlen(s->reason)));
	else if ((letter == SETTLED_STALE || letter == SETTLED_ABSENT) && !s->sent)
		warn("%s/%s: not settled: %s", s->queue->name, s->id,
		     letter == SETTLED_ABSENT ? "no such message" : "this receipt is no longer valid");
}

/* settle_and_wait settles the job. A server in doubt may hang, so a signal ends the exchange; settling twice is safe. */
static void settle_and_wait(struct job *s, struct session *l, const struct wait *wait)
{
	struct settle_call call = call_for(s);
	struct wait by = *wait;
	enum settle_letter letter;
	struct err e;
	int status;

	if (l->pause) {
		by.stop_fd = stop_fd();
		by.meanwhile = NULL;
	}
	status = settle_run(s->queue, &call, s->id, s->token, &by, &letter, &e);
	s->unconfirmed = status < 0 && e.fate == FATE_UNCONFIRMED;
	if (status < 0 && e.fate == FATE_SHARDS) {
		session_answered(l);
		warn("%s/%s: not settled: %s", s->queue->name, s->id, e.text);
		free_job(s);
		return;
	}
	if (status < 0 && !s->unconfirmed) {
		s->sent = s->sent || e.fate == FATE_UNKNOWN;
		s->waits = s->queue->conn->nodes != NULL;
		job_lost(s, l, &e);
		return;
	}
	session_answered(l);
	tell(s, letter, &e);
	free_job(s);
}

/* may_send: may the call be sent without waiting? It must need no reply but its own, and no refusal may be expected. */
static bool may_send(const struct job *s, const struct session *l, const struct settle_call *call)
{
	const struct conn *c = s->queue->conn;

	return !s->refused && !s->sent && !l->pause && !c->nodes && !durable_wanted(&c->conf.durable) && script_is_known(c, call->script);
}

void verdict_settle(struct job *s, struct session *l, const struct wait *wait)
{
	struct settle_call call = call_for(s);
	struct err e;

	if (s->lost) {
		free_job(s);
		return;
	}
	if (!reconnect_up(l, wait))
		return;
	if (!may_send(s, l, &call)) {
		settle_and_wait(s, l, wait);
		return;
	}
	if (settle_send(s->queue, &call, s->id, s->token, &s->settling, &e) < 0)
		job_lost(s, l, &e);
	else
		s->state = JOB_SETTLING;
}

void verdict_receive(struct job *s, struct session *l, const struct wait *wait)
{
	struct conn *c = s->queue->conn;
	enum settle_letter letter;
	struct call *done;
	struct err e;

	while (!s->settling.reply && c->redis)
		if (script_recv(c, wait, &done, &e) < 0) {
			conn_close(c); /* no reply may arrive for a call that no longer exists */
			job_lost(s, l, &e);
		}
	s->state = JOB_ENDED;
	if (!s->settling.reply) {
		s->sent = true;
	} else if (settle_read(&s->settling, &letter, &e) < 0) {
		s->refused = true;
	} else {
		session_answered(l);
		tell(s, letter, &e);
		free_job(s);
	}
	call_free(&s->settling);
}

void verdict_abandon(struct job *s, const struct session *l)
{
	char server[URL_TEXT];

	url_shown(&s->queue->conn->conf.url, server);
	if (!l->pause && l->conn->nodes && l->conn->nodes->moving_count)
		warn("%s/%s: not settled: a slot is being moved: redelivered when its lease ends", s->queue->name, s->id);
	else
		warn("%s/%s: not settled: no answer from Redis (%s): redelivered when its lease ends", s->queue->name, s->id, server);
	free_job(s);
}
