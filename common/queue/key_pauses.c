#include "queue/key_pauses.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/time.h"
#include "redis/exchange.h"

#define PREFIX_LEN (sizeof KEY_PAUSE - 1)

const char *key_pause_name(const struct key_pause *p)
{
	return p->text + 1;
}

const char *key_pause_key(const struct key_pause *p)
{
	return key_pause_name(p) + PREFIX_LEN;
}

void key_pause_until(struct key_pause *p, int64_t until)
{
	p->until = until;
	snprintf(p->value, sizeof p->value, "%lld", until < 0 ? 1 : (long long)until);
}

struct key_pause *key_pauses_add(struct key_pauses *all, const char *key, size_t len, int64_t until)
{
	struct key_pause one = {.before = 0};

	if (all->count == all->room) {
		size_t room = all->room ? all->room * 2 : 16;
		struct key_pause *more = realloc(all->list, room * sizeof *more);
		if (!more)
			return NULL;
		all->list = more;
		all->room = room;
	}
	snprintf(one.text, sizeof one.text, "?" KEY_PAUSE "%.*s", (int)len, key);
	key_pause_until(&one, until);
	all->list[all->count] = one;
	return &all->list[all->count++];
}

struct key_pause *key_pauses_find(const struct key_pauses *all, const char *key, size_t len)
{
	for (size_t i = 0; i < all->count; i++) {
		const char *name = key_pause_key(&all->list[i]);
		if (strlen(name) == len && !memcmp(name, key, len))
			return &all->list[i];
	}
	return NULL;
}

int key_pauses_copy(struct key_pauses *to, const struct key_pauses *from, struct err *e)
{
	to->count = 0;
	for (size_t i = 0; i < from->count; i++) {
		const char *key = key_pause_key(&from->list[i]);
		if (!key_pauses_add(to, key, strlen(key), from->list[i].until))
			return err_memory(e);
	}
	return 0;
}

void key_pauses_free(struct key_pauses *all)
{
	free(all->list);
	*all = (struct key_pauses){NULL, 0, 0};
}

/* --- reading --- */

void key_pauses_begin(struct call *call, struct queue *shard)
{
	call_read(call, "HGETALL");
	call_key(call, shard->keys.key[PART_CONF], shard->keys.len[PART_CONF]);
	exchange_add(shard->x, call, NULL);
}

/* keep notes a setting, if it is the pause of a key. A value that dq does not write is a pause for
 * good, as it is to the scripts. */
static int keep(struct key_pauses *out, const struct redisReply *name,
		const struct redisReply *value, struct err *e)
{
	const char *key = name->str + PREFIX_LEN;
	size_t len = name->len - PREFIX_LEN;
	struct err odd;
	int64_t until;

	if (name->len <= PREFIX_LEN || memcmp(name->str, KEY_PAUSE, PREFIX_LEN) ||
	    !name_key_valid(key, len))
		return 0;
	if (num_parse(value->str, 2, TIME_MAX, "", &until, &odd) < 0)
		until = -1;
	return key_pauses_add(out, key, len, until) ? 0 : err_memory(e);
}

int key_pauses_end(struct call *call, struct key_pauses *out, struct err *e)
{
	const struct redisReply *reply;
	int status = exchange_end(call, NULL, e);

	if (status < 0)
		return -1;
	reply = call->reply;
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 2)
		return call_unexpected(call, e);
	for (size_t i = 0; i < reply->elements; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING)
			return call_unexpected(call, e);
	for (size_t i = 0; i < reply->elements && status == 0; i += 2)
		status = keep(out, reply->element[i], reply->element[i + 1], e);
	return status;
}

int key_pauses_of(struct queue *shard, struct key_pauses *out, struct err *e)
{
	struct call call = {0};
	int status;

	key_pauses_begin(&call, shard);
	status = key_pauses_end(&call, out, e);
	call_free(&call);
	return status;
}

int key_pauses_member(struct buf *out, const struct key_pauses *all)
{
	int status = buf_text(out, ",\"paused_keys\":{");

	for (size_t i = 0; i < all->count && status == 0; i++) {
		const struct key_pause *p = &all->list[i];
		status = buf_format(out, "%s\"%s\":", i ? "," : "", key_pause_key(p));
		if (status == 0)
			status = p->until < 0 ? buf_text(out, "null") :
						buf_format(out, "%lld", (long long)p->until);
	}
	return status < 0 ? -1 : buf_char(out, '}');
}
