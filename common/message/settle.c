#include "message/settle.h"

#include <hiredis.h>
#include <string.h>

#include "queue/shards.h"
#include "redis/confirm.h"

struct settle_call settle_call(enum settle_verb verb, const char *amount, const char *reason)
{
	switch (verb) {
	case SETTLE_RETRY:
		return (struct settle_call){&script_retry, 3, {"", amount, reason}, true};
	case SETTLE_BURY:
		return (struct settle_call){&script_bury, 2, {"", reason}, true};
	case SETTLE_EXTEND:
		return (struct settle_call){&script_extend, 2, {"", amount}, false};
	case SETTLE_GIVE_BACK:
		return (struct settle_call){&script_giveback, reason[0] ? 4 : 2,
					    {"", amount, "=", reason}, true};
	case SETTLE_DONE:
		break;
	}
	return (struct settle_call){&script_ack, reason[0] ? 3 : 1, {"", "=", reason}, true};
}

void settle_ask(struct call *call, const struct queue *q)
{
	call_read(call, "HMGET");
	call_key(call, q->keys.key[PART_TRY], q->keys.len[PART_TRY]);
}

bool settle_reply_valid(const struct call *call, size_t count)
{
	const struct redisReply *reply = call->reply;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING &&
		    reply->element[i]->type != REDIS_REPLY_NIL)
			return false;
	return true;
}

/* An entry is TRIES TOKEN and more fields: lua/lib/try.lua. */
bool settle_is_last(const struct call *call, size_t i, const char *token)
{
	const struct redisReply *entry = call->reply->element[i];
	const char *at = entry->type == REDIS_REPLY_STRING ? strchr(entry->str, ' ') : NULL;
	size_t len = strlen(token);

	return at && !strncmp(at + 1, token, len) && at[1 + len] == ' ';
}

static void make(struct call *call, struct queue *q, const struct settle_call *how, const char *id,
		 const char *token)
{
	queue_call(call, how->script, q);
	for (int i = 1; i < how->fixed_count; i++)
		call_text(call, how->fixed[i]);
	call_text(call, id);
	call_text(call, token);
}

void settle_begin(struct settling *s, struct queue *q, const struct settle_call *how,
		  const char *id, const char *token, const struct wait *wait)
{
	make(&s->call, q, how, id, token);
	s->call.confirms = how->confirmed ? &s->durability : NULL;
	exchange_add(q->x, &s->call, wait);
}

static int read_letter(const struct call *call, enum settle_letter *letter, struct err *e)
{
	const struct redisReply *reply = call->reply;

	if (reply->type != REDIS_REPLY_STRING || reply->len != 1 ||
	    strspn(reply->str, settle_letters) != 1)
		return call_unexpected(call, e);
	*letter = (enum settle_letter)reply->str[0];
	return 0;
}

/* shards_changed: the shard does not say the number of shards with which the message was taken.
 * While its removal is under way, or was interrupted, it may still have the message. Else the queue
 * was removed, and perhaps created again. */
static int shards_changed(struct queue *shard, enum settle_letter *letter, struct err *e)
{
	char field[16];

	if (shards_field(shard, field, e) < 0)
		return -1;
	if (strchr(field, '-')) {
		err_set(e, DQ_TEMPORARY, "the queue is being removed");
		e->fate = FATE_SHARDS;
		return -1;
	}
	*letter = SETTLED_ABSENT;
	return 0;
}

int settle_end(struct settling *s, struct queue *q, const struct wait *wait,
	       enum settle_letter *letter, struct err *e)
{
	int status = exchange_wait(&s->call, wait, e);

	if (status == 0 && s->call.confirms)
		status = confirm_check(&s->call, &s->durability, e);
	if (s->call.state == CALL_SENT)
		exchange_cut(&s->call); /* a signal: the reply may not come soon */
	if (status < 0 && e->fate == FATE_SHARDS)
		status = shards_changed(q, letter, e);
	else if ((status == 0 || e->fate == FATE_UNCONFIRMED) &&
		 read_letter(&s->call, letter, e) < 0)
		status = -1;
	call_free(&s->call);
	durability_free(&s->durability);
	return status;
}

int settle_run(struct queue *q, const struct settle_call *how, const char *id, const char *token,
	       const struct wait *wait, enum settle_letter *letter, struct err *e)
{
	struct settling s = {.call = {0}};

	settle_begin(&s, q, how, id, token, wait);
	return settle_end(&s, q, wait, letter, e);
}
