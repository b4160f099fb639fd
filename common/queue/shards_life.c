#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "queue/shards.h"
#include "redis/reply.h"
#include "redis/sock.h"

int shards_change(struct queue *shard, const char *from, const char *to, struct shards_said *out, struct err *e)
{
	struct call call = {0};
	struct redisReply **r;
	int status;

	call_start(&call, &script_shards, &shard->keys);
	call_text(&call, "");
	call_text(&call, from);
	call_text(&call, to);
	status = script_ask(shard->conn, &call, REDIS_REPLY_ARRAY, NULL, e);
	r = status == 0 ? call.reply->element : NULL;
	if (status == 0 && (call.reply->elements != 4 || r[0]->type != REDIS_REPLY_INTEGER || r[1]->type != REDIS_REPLY_STRING ||
			    r[2]->type != REDIS_REPLY_STRING || r[1]->len >= sizeof out->says || r[2]->len >= sizeof out->generation))
		status = call_unexpected(&call, e);
	if (status == 0 && !reply_is_number(r[3]))
		status = call_unexpected(&call, e);
	if (status == 0) {
		out->messages = r[3]->integer;
		out->done = r[0]->integer == 1;
		strcpy(out->says, r[1]->str);
		strcpy(out->generation, r[2]->str);
	}
	call_free(&call);
	return status;
}

/* What the shards of a number say: while they are made, as long as they are there, while they are removed. */
struct numbers {
	char making[16], number[16], closed[16];
};

static struct numbers numbers_of(int count)
{
	struct numbers n;

	snprintf(n.making, sizeof n.making, "%d+", count);
	snprintf(n.number, sizeof n.number, "%d", count);
	snprintf(n.closed, sizeof n.closed, "%d-", count);
	return n;
}

/* --- birth: shard 0 is closed first, so that nobody uses any, and opened last --- */

enum { BORN = 0, REFUSED = -1, ANEW = 1 }; /* ANEW: another client changes it, too */

#define BIRTHS 100 /* tries */
#define BIRTH_MS 20

static int refuse(const struct queue *q, const char *says, struct err *e)
{
	int len = (int)strcspn(says, "+-");

	if (!says[0])
		return err_set(e, DQ_NO, "the number of shards is set before the first put: it has messages, or reserved ids");
	if (strchr(says, '+'))
		return err_set(e, DQ_NO, "it is being made with %.*s shards; if that was interrupted: dq-promote --shards %.*s %s", len,
			       says, len, says, q->name);
	return err_set(e, DQ_NO, "it has %.*s shards already", len, says);
}

static int refuse_shard(struct err *e)
{
	return err_set(e, DQ_NO, "there are messages where its shards would be");
}

/* refuse_closed: a shard that a removal has closed is under a queue that was made again. Only a removal goes on from there. */
static int refuse_closed(const struct queue *q, const struct queue *shard, struct err *e)
{
	return err_set(e, DQ_NO, "shard %d was closed by a removal that did not end, and has messages: dq-rm -a %s removes all of it",
		       shard->shard, q->name);
}

/* is_ours: shard 0 says that the queue is being made, or is there, with that number. 0, or as bear_once. */
static int is_ours(struct queue *q, const struct numbers *n, struct err *e)
{
	char says[16];

	if (shards_says(q, says, e) < 0)
		return REFUSED;
	return strcmp(says, n->making) != 0 && strcmp(says, n->number) != 0 ? ANEW : BORN;
}

/* bear_shard: a shard other than 0 may say what was left there; but it may also belong to a queue that another client has made since. */
static int bear_shard(struct queue *q, struct queue *shard, const struct numbers *n, struct err *e)
{
	struct shards_said said = {.says = ""};
	char from[16];
	int ours = BORN;

	do {
		strcpy(from, said.says);
		if (from[0] && (ours = is_ours(q, n, e)) != BORN)
			return ours;
		if (shards_change(shard, from, n->number, &said, e) < 0)
			return REFUSED;
	} while (!said.done && strcmp(said.says, from) != 0);
	if (!said.done)
		return strcmp(said.says, n->closed) != 0 ? refuse_shard(e) : refuse_closed(q, shard, e);
	return BORN;
}

/* look_at_all: what would end the birth half way is found before it begins. */
static int look_at_all(struct queue *q, const struct numbers *n, struct err *e)
{
	struct shards_said said;

	for (int i = 1; i < q->shards; i++) {
		if (shards_change(shards_at(q, i), n->number, n->number, &said, e) < 0)
			return -1;
		if (!said.done && said.messages > 0)
			return refuse_shard(e);
	}
	return 0;
}

/* close_first: shard 0 says that they are being made; nobody else makes them with another number then. */
static int close_first(struct queue *q, const struct numbers *n, struct err *e)
{
	struct shards_said said;

	if (look_at_all(q, n, e) < 0 || shards_change(q, "", n->making, &said, e) < 0)
		return REFUSED;
	if (!said.done && !said.says[0])
		return refuse(q, "", e);
	return said.done ? BORN : ANEW;
}

/* pause_rest: shard 0 has what was set before the queue was made. */
static int pause_rest(struct queue *q, struct err *e)
{
	struct call call = {0};
	bool paused;
	int status;

	call_plain(&call, "HGET");
	call_key(&call, q->keys.key[PART_CONF], q->keys.len[PART_CONF]);
	call_text(&call, "paused");
	status = script_run(q->conn, &call, NULL, e);
	paused = status == 0 && call.reply->type != REDIS_REPLY_NIL;
	call_free(&call);
	for (int i = 1; i < q->shards && paused && status == 0; i++) {
		int was;
		status = queue_pause(shards_at(q, i), true, &was, e);
	}
	return status;
}

/* bear_once: shard 0 has to say at the end what this client has begun, or found: else another has removed it meanwhile. */
static int bear_once(struct queue *q, int count, struct err *e)
{
	const struct numbers n = numbers_of(count);
	struct shards_said said;
	bool is_there;
	int status = BORN;

	if (shards_change(q, n.number, n.number, &said, e) < 0) /* changes nothing */
		return REFUSED;
	is_there = !strcmp(said.says, n.number);
	if (strchr(said.says, '-'))
		return ANEW;
	if (said.says[0] ? !is_there && strcmp(said.says, n.making) != 0 : said.messages > 0)
		return refuse(q, said.says, e);
	if (shards_set(q, count, e) < 0)
		return REFUSED;
	if (!said.says[0])
		status = close_first(q, &n, e);
	for (int i = count - 1; i > 0 && status == BORN; i--)
		status = bear_shard(q, shards_at(q, i), &n, e);
	if (status == BORN && !is_there && pause_rest(q, e) < 0)
		status = REFUSED;
	if (status == BORN && shards_change(q, is_there ? n.number : n.making, n.number, &said, e) < 0)
		status = REFUSED;
	return status == BORN && !said.done ? ANEW : status;
}

/* stays_one: a queue of one shard needs no birth. */
static int stays_one(struct queue *q, struct err *e)
{
	char says[16];

	if (shards_says(q, says, e) < 0)
		return REFUSED;
	return strchr(says, '-') ? ANEW : says[0] ? refuse(q, says, e) : BORN;
}

int shards_bear(struct queue *q, int count, struct err *e)
{
	for (int i = 0; i < BIRTHS; i++) {
		int status = count > 1 ? bear_once(q, count, e) : stays_one(q, e);
		if (status != ANEW)
			return status;
		if (sock_wait(-1, 0, clock_ms() + BIRTH_MS, q->conn->conf.wait.stop_fd, e) < 0)
			return -1;
	}
	return err_set(e, DQ_TEMPORARY, "the queue is being removed; if that was interrupted: dq-rm -a %s", q->name);
}

/* --- removal: shard 0 is closed first and goes last; what is closed is never opened again --- */

#define REMOVALS 20 /* tries: another client may make it again */

/* close_shard: what a shard says that is not of this number belongs to no queue, or to another one. */
static int close_shard(struct queue *shard, const struct numbers *n, struct shards_said *said, struct err *e)
{
	strcpy(said->says, n->number);
	do {
		char from[16];
		strcpy(from, said->says);
		if (shards_change(shard, from, n->closed, said, e) < 0)
			return -1;
	} while (!said->done && (!strcmp(said->says, n->making) || !strcmp(said->says, n->number) || (!said->says[0] && shard->shard > 0)));
	return said->done;
}

/* take_away removes a shard that is closed. */
static int take_away(struct queue *shard, const struct numbers *n, struct shards_gone *out, struct shards_said *said, struct err *e)
{
	if (shards_change(shard, n->closed, "", said, e) < 0)
		return -1;
	if (!said->done)
		return 0;
	out->messages += said->messages;
	if (strlen(said->generation) > strlen(out->generation) || strcmp(said->generation, out->generation) > 0)
		strcpy(out->generation, said->generation);
	return 0;
}

/* dissolve_once: 1 another client makes it again, or completes what was begun, so that it is to be closed anew. */
static int dissolve_once(struct queue *q, const struct numbers *n, struct shards_gone *out, struct err *e)
{
	struct shards_said said = {.says = ""};
	int closed = close_shard(q, n, &said, e);

	out->gone = closed == 0 && !said.says[0];
	if (closed == 0)
		return 0; /* it is gone, or has another number */
	for (int i = 1; i < q->shards && closed >= 0; i++)
		closed = close_shard(shards_at(q, i), n, &said, e);
	for (int i = q->shards - 1; i > 0 && closed >= 0; i--) {
		if (take_away(shards_at(q, i), n, out, &said, e) < 0)
			return -1;
		if (!strcmp(said.says, n->number))
			return 1;
	}
	if (closed < 0 || take_away(q, n, out, &said, e) < 0)
		return -1;
	out->gone = !said.says[0];
	return !out->gone;
}

int shards_dissolve(struct queue *q, struct shards_gone *out, struct err *e)
{
	const struct numbers n = numbers_of(q->shards);
	int status = 1;

	memset(out, 0, sizeof *out);
	for (int i = 0; i < REMOVALS && status > 0; i++)
		status = dissolve_once(q, &n, out, e);
	if (status > 0)
		return err_set(e, DQ_TEMPORARY, "other clients make it again meanwhile");
	return status;
}
