#include "queue/settings.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "queue/registry.h"
#include "queue/shards.h"
#include "redis/nodes.h"

struct setting {
	const char *paused;
	struct settings before;
	char unlisted[NAME_TOKEN_MAX + 1]; /* a generation; "": its name is listed */
	int failed;                        /* shards */
	char tags[160];                    /* of those */
	struct err why;                    /* the first time */
};

static void set_begin(void *ctx, struct call *call, struct queue *q)
{
	const struct setting *s = ctx;

	queue_call(call, &script_set, q);
	if (s->paused) {
		call_text(call, "paused");
		call_text(call, s->paused);
	}
	exchange_add(q->x, call, NULL);
}

static bool is_reply(const struct setting *s, const struct redisReply *reply)
{
	return reply->type == REDIS_REPLY_ARRAY && reply->elements == (s->paused ? 3 : 2) &&
	       reply->element[0]->type == REDIS_REPLY_INTEGER && reply->element[1]->type == REDIS_REPLY_STRING &&
	       reply->element[1]->len < sizeof s->unlisted && (!s->paused || reply->element[2]->type == REDIS_REPLY_INTEGER);
}

static void note_failed(struct setting *s, const struct queue *q, const struct err *e)
{
	const char *tag = strchr(q->keys.key[PART_STAT], '{') + 1;
	size_t len = strlen(s->tags);

	snprintf(s->tags + len, sizeof s->tags - len, "%s%.*s", len ? ", " : "", (int)strcspn(tag, "}"), tag);
	if (s->failed++ == 0)
		s->why = *e;
	if (e->fate == FATE_UNKNOWN)
		s->why.fate = FATE_UNKNOWN;
}

/* note learns from the reply of a shard. */
static void note(struct setting *s, const struct queue *q, const struct redisReply *reply)
{
	if (q->shard == 0) {
		s->before.is_new = reply->element[0]->integer == 0;
		strcpy(s->unlisted, reply->element[1]->str);
	}
	s->before.paused_shards += s->paused && reply->element[2]->integer != 0;
}

/* set_end: if one shard is unreachable, the others are set nevertheless. */
static int set_end(void *ctx, struct queue *q, struct call *call, struct err *e)
{
	struct setting *s = ctx;
	int status;

	if (q->shard == 0)
		*s = (struct setting){.paused = s->paused};
	status = exchange_end(call, NULL, e);
	if (status == 0 && !is_reply(s, call->reply))
		status = call_unexpected(call, e);
	if (status == 0)
		note(s, q, call->reply);
	if (status == 0)
		return 0;
	if (e->fate == FATE_SHARDS || e->status == DQ_STOPPED || !nodes_left(&q->x->nodes))
		return -1;
	note_failed(s, q, e);
	return 0;
}

/* some_failed: some of the shards, or all. */
static int some_failed(const struct setting *s, const struct queue *q, struct err *e)
{
	*e = s->why;
	if (s->failed == q->shards)
		return -1;
	snprintf(e->text, sizeof e->text, "%d of %d shards (%s): %.200s; the others are", s->failed, q->shards, s->tags, s->why.text);
	e->status = s->why.status == DQ_UNAVAILABLE ? DQ_TEMPORARY : s->why.status;
	return -1;
}

int settings_set(struct queue *q, const char *paused, struct settings *before, struct err *e)
{
	struct setting s = {.paused = paused};
	int status = shards_together(q, NULL, set_begin, set_end, &s, e);

	*before = s.before;
	if (status < 0)
		return status;
	if (s.failed)
		return some_failed(&s, q, e);
	before->unlisted = s.unlisted[0] && registry_list(q, s.unlisted, e) < 0;
	return 0;
}
