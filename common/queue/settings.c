#include "queue/settings.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "queue/key_pauses.h"
#include "queue/registry.h"
#include "queue/shards.h"
#include "redis/nodes.h"

#define TEXT 40 /* of a value */

/* The values of one shard; they are borrowed by its call. */
struct share {
	char max_leased[TEXT], rate[TEXT], max_len[TEXT], key_limit[TEXT];
};

struct setting {
	const struct settings_wanted *wanted;
	struct share shares[SHARDS_MAX];
	struct {
		struct settings before;
		char unlisted[NAME_TOKEN_MAX + 1]; /* a generation; "": its name is listed */
		int failed;                        /* shards */
		char tags[160];                    /* of those */
		struct err why;                    /* the first time */
	} was;
};

/* name_of: text is ?NAME. */
static const char *name_of(const struct settings_wanted *w, const char *text)
{
	return w->lacking ? text : text + 1;
}

/* add adds a setting to the call, unless it stays. per: what follows the number. */
static void add(struct call *call, const char *name, int64_t limit, const char *per,
		char text[TEXT])
{
	if (limit == SETTING_STAYS)
		return;
	text[0] = 0;
	if (limit != SETTING_NONE)
		snprintf(text, TEXT, "%lld%s", (long long)limit, per);
	call_text(call, name);
	call_text(call, text);
}

/* part: that of a shard, of a limit of the whole queue. */
static int64_t part(const struct queue *q, int64_t limit)
{
	return limit < 0 ? limit : limit_part(limit, q->shard, q->shards);
}

static void set_begin(void *ctx, struct call *call, struct queue *q)
{
	struct setting *s = ctx;
	const struct settings_wanted *w = s->wanted;
	struct share *share = &s->shares[q->shard];
	char per[TEXT / 2];

	queue_call(call, &script_set, q);
	if (w->paused) {
		call_text(call, name_of(w, "?paused"));
		call_text(call, w->paused);
	}
	snprintf(per, sizeof per, "/%lld", (long long)w->rate_ms);
	add(call, name_of(w, "?max-leased"), part(q, w->max_leased), "", share->max_leased);
	add(call, name_of(w, "?rate"), part(q, w->rate), per, share->rate);
	add(call, name_of(w, "?max-len"), part(q, w->max_len), "", share->max_len);
	if (w->keys != SETTING_STAYS) {
		call_text(call, name_of(w, "?keys"));
		call_text(call, keys_word((enum queue_keys)w->keys));
	}
	add(call, name_of(w, "?key-limit"), w->key_limit, "", share->key_limit);
	for (size_t i = 0; i < w->key_pauses_count; i++) {
		call_text(call, name_of(w, w->key_pauses[i].text));
		call_text(call, w->key_pauses[i].value);
	}
	exchange_add(q->x, call, NULL);
}

static bool is_reply(const struct settings_wanted *w, const struct redisReply *reply)
{
	size_t changed = (size_t)limits_changed(w) + (w->paused ? 1 : 0);

	if (reply->type != REDIS_REPLY_ARRAY ||
	    reply->elements != 2 + changed + w->key_pauses_count)
		return false;
	for (size_t i = 0; i < w->key_pauses_count; i++)
		if (reply->element[2 + changed + i]->type != REDIS_REPLY_INTEGER)
			return false;
	return reply->element[0]->type == REDIS_REPLY_INTEGER &&
	       reply->element[1]->type == REDIS_REPLY_STRING &&
	       reply->element[1]->len <= NAME_TOKEN_MAX &&
	       (!w->paused || reply->element[2]->type == REDIS_REPLY_INTEGER);
}

static void note_failed(struct setting *s, const struct queue *q, const struct err *e)
{
	const char *tag = strchr(q->keys.key[PART_STAT], '{') + 1;
	size_t len = strlen(s->was.tags);

	snprintf(s->was.tags + len, sizeof s->was.tags - len, "%s%.*s", len ? ", " : "",
		 (int)strcspn(tag, "}"), tag);
	if (s->was.failed++ == 0)
		s->was.why = *e;
	if (e->fate == FATE_UNKNOWN)
		s->was.why.fate = FATE_UNKNOWN;
}

/* note_pause: pause: how a shard was paused: 0, 1, or the end of the pause. */
static void note_pause(struct settings *before, int64_t pause)
{
	before->paused_shards += pause != 0;
	if (pause == 1)
		before->pause_end = -1;
	else if (before->pause_end >= 0 && pause > before->pause_end)
		before->pause_end = pause;
}

/* note_key_pauses: of the keys that the shard has.
 * Their values before are the last ones of the reply. */
static void note_key_pauses(const struct settings_wanted *w, const struct queue *q,
			    const struct redisReply *reply)
{
	struct redisReply *const *was = reply->element + reply->elements - w->key_pauses_count;

	for (size_t i = 0; i < w->key_pauses_count; i++) {
		struct key_pause *p = &w->key_pauses[i];
		const char *key = key_pause_key(p);
		if (shards_of(q->shards, key, strlen(key)) == q->shard)
			p->before = was[i]->integer == 1 ? -1 : was[i]->integer;
	}
}

/* note learns from the reply of a shard. */
static void note(struct setting *s, const struct queue *q, const struct redisReply *reply)
{
	if (q->shard == 0) {
		s->was.before.is_new = reply->element[0]->integer == 0;
		strcpy(s->was.unlisted, reply->element[1]->str);
	}
	if (s->wanted->paused)
		note_pause(&s->was.before, reply->element[2]->integer);
	note_key_pauses(s->wanted, q, reply);
}

/* set_end: if one shard is unreachable, the others are set nevertheless. */
static int set_end(void *ctx, struct queue *q, struct call *call, struct err *e)
{
	struct setting *s = ctx;
	int status;

	if (q->shard == 0)
		memset(&s->was, 0, sizeof s->was);
	status = exchange_end(call, NULL, e);
	if (status == 0 && !is_reply(s->wanted, call->reply))
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
	*e = s->was.why;
	if (s->was.failed == q->shards)
		return -1;
	snprintf(e->text, sizeof e->text, "%d of %d shards (%s): %.200s; the others are",
		 s->was.failed, q->shards, s->was.tags, s->was.why.text);
	e->status = s->was.why.status == DQ_UNAVAILABLE ? DQ_TEMPORARY : s->was.why.status;
	return -1;
}

int settings_set(struct queue *q, const struct settings_wanted *wanted, struct settings *before,
		 struct err *e)
{
	struct setting s = {.wanted = wanted};
	int status = shards_together(q, NULL, set_begin, set_end, &s, e);

	*before = s.was.before;
	if (status < 0)
		return status;
	if (s.was.failed)
		return some_failed(&s, q, e);
	before->unlisted = s.was.unlisted[0] && registry_list(q, s.was.unlisted, e) < 0;
	return 0;
}

int settings_fit(const struct settings_wanted *wanted, int shards, struct err *e)
{
	if (limit_fits("max-leased", wanted->max_leased, shards, e) < 0 ||
	    limit_fits("rate", wanted->rate, shards, e) < 0)
		return -1;
	return limit_fits("max-len", wanted->max_len, shards, e);
}
