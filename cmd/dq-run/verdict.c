#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/nodes.h"
#include "redis/url_text.h"
#include "tool/diag.h"
#include "tool/stop.h"

/* A message that a command gave back is not delivered again at once: nothing has changed yet, and
 * the worker would run it without end. */
#define GIVEN_BACK_FOR 1000 /* ms */

static void report(const struct job *s, const char *what)
{
	size_t len = strlen(s->reason), from = text_last_line(s->reason, &len);
	char shown[200];

	warn("%s/%s: %s: %s", s->queue->name, s->id, what,
	     text_shown(shown, sizeof shown, s->reason + from, len));
}

/* why writes the reason to store: the last lines of its standard error, or how it ended. code: its
 * exit status, -1 = a signal ended it. */
static void why(struct job *s, int code)
{
	if (s->child.tail.len)
		memcpy(s->reason, s->child.tail.text, s->child.tail.len + 1);
	else if (code == 0)
		snprintf(s->reason, sizeof s->reason, "the command asked for it");
	else if (code > 0)
		snprintf(s->reason, sizeof s->reason, "exit status %d", code);
	else
		snprintf(s->reason, sizeof s->reason, "killed by signal %d",
			 WTERMSIG(s->child.status));
}

static enum settle_verb judge(int code, bool give_back)
{
	if (code == 0)
		return SETTLE_DONE;
	if (give_back)
		return SETTLE_GIVE_BACK;
	return code == DQ_DATA ? SETTLE_BURY : SETTLE_RETRY;
}

/* give_back_later: the command has named no time, or one that comes too soon: that of a
 * Retry-After, perhaps. A duration is meant so. */
static void give_back_later(struct job *s)
{
	bool is_time = s->amount[0] == '@';

	if (!s->amount[0] ||
	    (is_time && strtoll(s->amount + 1, NULL, 10) < clock_ms() + s->ahead + GIVEN_BACK_FOR))
		snprintf(s->amount, sizeof s->amount, "%d", GIVEN_BACK_FOR);
}

/* misread: what the command has said means nothing. A command that says something and exits 0 fails
 * its try: whatever it was to say, the work may not be done. */
static bool misread(struct job *s, const struct said *said, const struct err *e)
{
	/* a fault of the command that nobody else shows */
	warn("%s/%s: %s", s->queue->name, s->id, e->text);
	if (!said->known && s->verdict != SETTLE_DONE)
		return true; /* the exit status says how it failed */
	s->verdict = SETTLE_RETRY;
	snprintf(s->reason, sizeof s->reason, "%s", e->text);
	return true;
}

/* obey: the command has said itself how its delivery is to end. */
static bool obey(struct job *s)
{
	struct said said;
	struct err e;

	if (said_parse(s->child.says.last, s->child.says.last_len, &said, &e) < 0)
		return misread(s, &said, &e);
	if (s->child.says.changed)
		warn("%s/%s: said done, and another verdict later, which counts", s->queue->name,
		     s->id);
	s->verdict = said.verb;
	memcpy(s->amount, said.amount, sizeof s->amount);
	if (said.verb == SETTLE_GIVE_BACK)
		give_back_later(s);
	if (said.reason[0])
		memcpy(s->reason, said.reason, sizeof s->reason);
	s->told = said.reason[0] != '\0';
	return said.verb == SETTLE_RETRY || said.verb == SETTLE_BURY;
}

/* take_result: the last line of standard output is the result,
 * unless the command has said another one. */
static void take_result(struct job *s)
{
	const struct tail *out = &s->child.out.tail;
	size_t len = out->len;
	const char *line = out->text + text_last_line(out->text, &len);

	if (s->verdict != SETTLE_DONE || s->told || len == 0)
		return;
	line += strspn(line, " \t\r"); /* a tail has no indentation if it is one line */
	snprintf(s->reason, sizeof s->reason, "%s", line);
	s->told = true;
}

bool verdict_reach(struct job *s, bool give_back)
{
	int code = WIFEXITED(s->child.status) ? WEXITSTATUS(s->child.status) : -1;
	bool failed = code != 0;

	s->verdict = judge(code, give_back);
	s->amount[0] = '\0';
	s->told = false;
	why(s, code);
	if (s->child.says.any)
		failed = obey(s);
	take_result(s);
	if (s->verdict == SETTLE_DONE)
		/* the command succeeded: a late ack counts if no other consumer took the message */
		s->lost = false;
	return failed;
}

static struct settle_call call_for(const struct job *s)
{
	/* it has said no reason, or result */
	bool mute = (s->verdict == SETTLE_GIVE_BACK || s->verdict == SETTLE_DONE) && !s->told;

	return settle_call(s->verdict, s->amount, mute ? "" : s->reason);
}

static void free_job(struct job *s)
{
	child_free(&s->child);
	s->state = JOB_FREE;
}

static void tell(const struct job *s, enum settle_letter letter, const struct err *e)
{
	if (s->unconfirmed && (letter == SETTLED_OK || letter == SETTLED_DEAD))
		warn("%s/%s: settled, %s", s->queue->name, s->id, e->text);
	if (letter == SETTLED_DEAD || (letter == SETTLED_OK && s->verdict == SETTLE_BURY))
		report(s, "dead");
	else if (letter == SETTLED_OK && s->verdict == SETTLE_GIVE_BACK && s->told)
		report(s, "given back");
	else if ((letter == SETTLED_STALE || letter == SETTLED_ABSENT) && !s->reply_lost)
		warn("%s/%s: %s", s->queue->name, s->id,
		     letter == SETTLED_ABSENT ? "settled already, or removed" :
						"not settled: this receipt is no longer valid");
}

void verdict_settle(struct job *s, struct exchange *x, const struct wait *wait)
{
	struct settle_call call = call_for(s);

	if (s->lost) {
		free_job(s);
		return;
	}
	if (!reconnect_up(x, wait))
		return;
	settle_begin(&s->settling, s->queue, &call, s->id, s->token, wait);
	s->state = JOB_SETTLING;
}

struct wait verdict_wait(const struct exchange *x, const struct wait *wait)
{
	struct wait by = *wait;

	if (x->session->pause) {
		by.stop_fd = stop_fd();
		by.meanwhile = NULL;
	}
	return by;
}

bool verdict_receive(struct job *s, struct exchange *x, const struct wait *wait)
{
	struct wait by = verdict_wait(x, wait);
	enum settle_letter letter;
	struct err e;
	int status;

	status = settle_end(&s->settling, s->queue, &by, &letter, &e);
	s->state = JOB_ENDED;
	s->unconfirmed = status < 0 && e.fate == FATE_UNCONFIRMED;
	if (status < 0 && e.fate == FATE_SHARDS) {
		session_answered(x->session);
		warn("%s/%s: not settled: %s", s->queue->name, s->id, e.text);
		free_job(s);
	} else if (status < 0 && !s->unconfirmed) {
		s->reply_lost = s->reply_lost || e.fate == FATE_UNKNOWN;
		s->waits = s->queue->x->nodes.cluster != NULL;
		/* else it is known that the connection is lost */
		if (s->waits || x->nodes.root.conn.redis || !x->session->pause)
			job_lost(s, x, &e);
	} else {
		session_answered(x->session);
		tell(s, letter, &e);
		free_job(s);
	}
	return s->unconfirmed;
}

void verdict_abandon(struct job *s, const struct exchange *x)
{
	char server[URL_TEXT];

	url_shown(&s->queue->x->conf->url, server);
	if (!x->session->pause && x->nodes.cluster && x->nodes.cluster->moving_count)
		warn("%s/%s: not settled: a slot is being moved: redelivered when its lease ends",
		     s->queue->name, s->id);
	else
		warn("%s/%s: not settled: no answer from Redis (%s): redelivered when "
		     "its lease ends",
		     s->queue->name, s->id, server);
	free_job(s);
}
