#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "queue/key_pauses.h"
#include "queue/limit.h"
#include "queue/shards.h"
#include "redis/reply.h"
#include "redis/sock.h"

int shards_change(struct queue *shard, const char *from, const char *to, struct shards_reply *out,
		  struct err *e)
{
	struct call call = {0};
	struct redisReply **r;
	int status;

	call_start(&call, &script_shards, &shard->keys);
	call_text(&call, "");
	call_text(&call, from);
	call_text(&call, to);
	status = exchange_ask(shard->x, &call, REDIS_REPLY_ARRAY, NULL, e);
	r = status == 0 ? call.reply->element : NULL;
	if (status == 0 && (call.reply->elements != 4 || r[0]->type != REDIS_REPLY_INTEGER ||
			    r[1]->type != REDIS_REPLY_STRING || r[2]->type != REDIS_REPLY_STRING ||
			    r[1]->len >= sizeof out->field || r[2]->len >= sizeof out->generation))
		status = call_unexpected(&call, e);
	if (status == 0 && !reply_is_number(r[3]))
		status = call_unexpected(&call, e);
	if (status == 0) {
		out->messages = r[3]->integer;
		out->done = r[0]->integer == 1;
		strcpy(out->field, r[1]->str);
		strcpy(out->generation, r[2]->str);
	}
	call_free(&call);
	return status;
}

/* What the shards of a number say: while they are made, as long as they are there,
 * while they are removed. */
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

/* --- creation: shard 0 is closed first, so that nobody uses any, and opened last --- */

/* START_AGAIN: another client changes it, too */
enum { CREATED = 0, REFUSED = -1, START_AGAIN = 1 };

#define CREATE_TRIES 100
#define CREATE_PAUSE_MS 20

static int refuse(const struct queue *q, const char *field, struct err *e)
{
	int len = (int)strcspn(field, "+-");

	if (!field[0])
		return err_set(e, DQ_NO,
			       "it has messages or reserved ids, and the number of shards is set "
			       "before the first put");
	if (strchr(field, '+'))
		return err_set(e, DQ_NO,
			       "it is being created with %.*s shards; if that was interrupted: "
			       "dq-set %s shards=%.*s",
			       len, field, q->name, len, field);
	return err_set(e, DQ_NO, "it has %.*s shards already", len, field);
}

static int refuse_shard(struct err *e)
{
	return err_set(e, DQ_NO, "the keys of its shards have messages already");
}

/* refuse_closed: a shard that a removal has closed is under a queue that was made again. Only a
 * removal goes on from there. */
static int refuse_closed(const struct queue *q, const struct queue *shard, struct err *e)
{
	return err_set(e, DQ_NO,
		       "shard %d has messages of an interrupted removal: dq-rm -a %s removes them",
		       shard->shard, q->name);
}

/* is_ours: the queue is being created, or exists, with that number, according to shard 0.
 * 0, or as create_once. */
static int is_ours(struct queue *q, const struct numbers *n, struct err *e)
{
	char field[16];

	if (shards_field(q, field, e) < 0)
		return REFUSED;
	return strcmp(field, n->making) != 0 && strcmp(field, n->number) != 0 ? START_AGAIN :
										CREATED;
}

/* Settings of shard 0, which the others get: values of set.lua, "" = none. A limit is that of the
 * whole queue: shard 0 gets its part when it is opened (lua/shards.lua). From FIRST_ALIKE on each
 * shard gets the same. */
enum { PAUSED, MAX_LEASED, RATE, MAX_LEN, KEYS, KEY_LIMIT, SETTINGS, FIRST_ALIKE = KEYS };
static const char *const setting_names[SETTINGS] = {
	[PAUSED] = "paused", [MAX_LEASED] = "max-leased", [RATE] = "rate", [MAX_LEN] = "max-len",
	[KEYS] = "keys", [KEY_LIMIT] = "key-limit"};

struct settings_copied {
	char values[SETTINGS][32];
	struct key_pauses key_pauses; /* each shard gets the same */
};

/* pause_word: a pause that ends, ms; "load": until a load ends; any other one is for good. */
static const char *pause_word(const char *value)
{
	if (!strncmp(value, "load", 4))
		return "load";
	return strlen(value) > 1 && strspn(value, "0123456789") == strlen(value) ? value : "1";
}

static int read_settings(struct queue *q, struct settings_copied *out, struct err *e)
{
	struct call call = {0};
	int status = 0;

	for (int i = 0; i < SETTINGS && status == 0; i++) {
		call_read(&call, "HGET");
		call_key(&call, q->keys.key[PART_CONF], q->keys.len[PART_CONF]);
		call_text(&call, setting_names[i]);
		status = exchange_run(q->x, &call, NULL, e);
		out->values[i][0] = 0;
		if (status == 0 && call.reply->type == REDIS_REPLY_STRING)
			snprintf(out->values[i], sizeof out->values[i], "%.31s",
				 i == PAUSED ? pause_word(call.reply->str) : call.reply->str);
		call_free(&call);
	}
	return status < 0 ? status : key_pauses_of(q, &out->key_pauses, e);
}

/* part_of writes the part of a limit, N or N/MS, that shard i of so many gets;
 * "" if it is not readable. */
static void part_of(const char *limit, int i, int count, char part[32])
{
	char number[24];
	size_t len = strspn(limit, "0123456789");
	struct err odd;
	int64_t n;

	part[0] = 0;
	snprintf(number, sizeof number, "%.*s", (int)(len < sizeof number ? len : 0), limit);
	if (num_parse(number, 0, INT64_C(1) << 40, "limit", &n, &odd) == 0)
		snprintf(part, 32, "%lld%.20s", (long long)limit_part(n, i, count), limit + len);
}

/* wanted_limit returns the limit that is to hold, or SETTING_,
 * and writes it as a value of set.lua. */
static int64_t wanted_limit(const struct settings_wanted *wanted, int i, char value[32])
{
	const int64_t limits[SETTINGS] = {[MAX_LEASED] = wanted->max_leased, [RATE] = wanted->rate,
					  [MAX_LEN] = wanted->max_len, [KEYS] = wanted->keys,
					  [KEY_LIMIT] = wanted->key_limit};
	int64_t limit = limits[i];
	char per[24] = "";

	if (i == RATE)
		snprintf(per, sizeof per, "/%lld", (long long)wanted->rate_ms);
	value[0] = 0;
	if (i == KEYS && limit >= 0)
		snprintf(value, 32, "%s", keys_word((enum queue_keys)limit));
	else if (limit >= 0)
		snprintf(value, 32, "%lld%s", (long long)limit, per);
	return limit;
}

/* will_fit: DQ_USAGE if one of the limits that hold then cannot be divided. */
static int will_fit(const struct settings_copied *copied, const struct settings_wanted *wanted,
		    int count, struct err *e)
{
	for (int i = MAX_LEASED; i < FIRST_ALIKE; i++) {
		char value[32];
		int64_t limit = wanted ? wanted_limit(wanted, i, value) : SETTING_STAYS;
		if (limit == SETTING_STAYS)
			limit = strtoll(copied->values[i], NULL, 10);
		if (limit_fits(setting_names[i], limit, count, e) < 0)
			return -1;
	}
	return 0;
}

/* set_first sets the limits of shard 0, which is closed: they are those of the whole queue until
 * it is opened. */
static int set_first(const struct queue *q, const struct numbers *n,
		     const struct settings_wanted *wanted, struct err *e)
{
	struct call call = {0};
	char now_arg[20], values[SETTINGS][32];
	int status;

	if (!limits_changed(wanted))
		return CREATED;
	snprintf(now_arg, sizeof now_arg, "/%s", n->making);
	call_start(&call, &script_set, &q->keys);
	call_text(&call, now_arg);
	for (int i = MAX_LEASED; i < SETTINGS; i++) {
		if (wanted_limit(wanted, i, values[i]) == SETTING_STAYS)
			continue;
		call_text(&call, setting_names[i]);
		call_text(&call, values[i]);
	}
	status = exchange_ask(q->x, &call, REDIS_REPLY_ARRAY, NULL, e);
	call_free(&call);
	return status == 0 ? CREATED : e->fate == FATE_SHARDS ? START_AGAIN : REFUSED;
}

/* settle_as gives a shard that has not got its number yet the settings of shard 0. If it has,
 * another client has done so before, and they may have been changed since. */
static int settle_as(const struct queue *shard, const char *says,
		     const struct settings_copied *copied, int count, struct err *e)
{
	struct call call = {0};
	char now_arg[20] = "", parts[SETTINGS][32];
	bool any = copied->key_pauses.count > 0;
	int status;

	if (*says)
		snprintf(now_arg, sizeof now_arg, "/%s", says);
	call_start(&call, &script_set, &shard->keys);
	call_text(&call, now_arg);
	for (int i = 0; i < SETTINGS; i++) {
		if (!copied->values[i][0])
			continue;
		if (i == PAUSED || i >= FIRST_ALIKE)
			strcpy(parts[i], copied->values[i]);
		else
			part_of(copied->values[i], shard->shard, count, parts[i]);
		any = true;
		call_text(&call, setting_names[i]);
		call_text(&call, parts[i]);
	}
	for (size_t i = 0; i < copied->key_pauses.count; i++) {
		call_text(&call, key_pause_name(&copied->key_pauses.list[i]));
		call_text(&call, copied->key_pauses.list[i].value);
	}
	status = any ? exchange_ask(shard->x, &call, REDIS_REPLY_ARRAY, NULL, e) : 0;
	call_free(&call);
	return status < 0 && e->fate == FATE_SHARDS ? 0 : status;
}

/* create_shard: a shard other than 0 may have an old field; but it may also belong to a queue that
 * another client has created since. */
static int create_shard(struct queue *q, struct queue *shard, const struct numbers *n,
			const struct settings_copied *copied, struct err *e)
{
	struct shards_reply reply = {.field = ""};
	char from[16];
	int ours = CREATED;

	do {
		strcpy(from, reply.field);
		if (from[0] && (ours = is_ours(q, n, e)) != CREATED)
			return ours;
		if (settle_as(shard, from, copied, q->shards, e) < 0 ||
		    shards_change(shard, from, n->number, &reply, e) < 0)
			return REFUSED;
	} while (!reply.done && strcmp(reply.field, from) != 0);
	if (!reply.done)
		return strcmp(reply.field, n->closed) != 0 ? refuse_shard(e) :
							     refuse_closed(q, shard, e);
	return CREATED;
}

/* check_shards: what would end the creation half way is found before it begins. */
static int check_shards(struct queue *q, const struct numbers *n, struct err *e)
{
	struct shards_reply reply = {.field = ""};

	for (int i = 1; i < q->shards; i++) {
		if (shards_change(shards_at(q, i), n->number, n->number, &reply, e) < 0)
			return -1;
		if (!reply.done && reply.messages > 0)
			return refuse_shard(e);
	}
	return 0;
}

/* close_first marks in shard 0 that the shards are being created;
 * then no other client creates them with another number. */
static int close_first(struct queue *q, const struct numbers *n, struct err *e)
{
	struct shards_reply reply = {.field = ""};

	if (check_shards(q, n, e) < 0 || shards_change(q, "", n->making, &reply, e) < 0)
		return REFUSED;
	if (!reply.done && !reply.field[0])
		return refuse(q, "", e);
	return reply.done ? CREATED : START_AGAIN;
}

/* begin_creation closes shard 0, if its limits can be divided; as create_once. */
static int begin_creation(struct queue *q, const struct numbers *n, int count,
			  const struct settings_wanted *limits, struct err *e)
{
	struct settings_copied copied = {.values = {""}};
	int status = read_settings(q, &copied, e) < 0 || will_fit(&copied, limits, count, e) < 0 ?
			     REFUSED :
			     CREATED;

	key_pauses_free(&copied.key_pauses);
	if (status == CREATED)
		status = close_first(q, n, e);
	return status == CREATED && limits ? set_first(q, n, limits, e) : status;
}

/* create_once: at the end shard 0 must have the value that this client set or found; else another
 * client has removed the queue. */
static int create_once(struct queue *q, int count, const struct settings_wanted *limits,
		       struct err *e)
{
	const struct numbers n = numbers_of(count);
	struct shards_reply reply = {.field = ""};
	struct settings_copied copied = {.values = {""}};
	bool is_there;
	int status = CREATED;

	if (shards_change(q, n.number, n.number, &reply, e) < 0) /* changes nothing */
		return REFUSED;
	is_there = !strcmp(reply.field, n.number);
	if (strchr(reply.field, '-'))
		return START_AGAIN;
	if (reply.field[0] ? !is_there && strcmp(reply.field, n.making) != 0 : reply.messages > 0)
		return refuse(q, reply.field, e);
	if (shards_set(q, count, e) < 0)
		return REFUSED;
	if (!reply.field[0])
		status = begin_creation(q, &n, count, limits, e);
	if (status == CREATED && !is_there && read_settings(q, &copied, e) < 0)
		status = REFUSED;
	for (int i = count - 1; i > 0 && status == CREATED; i--)
		status = create_shard(q, shards_at(q, i), &n, &copied, e);
	key_pauses_free(&copied.key_pauses);
	if (status == CREATED &&
	    shards_change(q, is_there ? n.number : n.making, n.number, &reply, e) < 0)
		status = REFUSED;
	return status == CREATED && !reply.done ? START_AGAIN : status;
}

/* stays_one: a queue of one shard needs no creation. */
static int stays_one(struct queue *q, struct err *e)
{
	char field[16];

	if (shards_field(q, field, e) < 0)
		return REFUSED;
	return strchr(field, '-') ? START_AGAIN : field[0] ? refuse(q, field, e) : CREATED;
}

int shards_create(struct queue *q, int count, const struct settings_wanted *limits, struct err *e)
{
	for (int i = 0; i < CREATE_TRIES; i++) {
		int status = count > 1 ? create_once(q, count, limits, e) : stays_one(q, e);
		if (status != START_AGAIN)
			return status;
		if (sock_wait(-1, 0, clock_ms() + CREATE_PAUSE_MS, q->x->conf->wait.stop_fd, e) < 0)
			return -1;
	}
	return err_set(e, DQ_TEMPORARY,
		       "the queue is being removed; if that was interrupted: dq-rm -a %s", q->name);
}

/* --- removal: shard 0 is closed first and removed last;
 * a closed shard is never opened again --- */

#define REMOVE_TRIES 20 /* another client may make it again */

/* close_shard: a shard with another number belongs to no queue, or to another one. */
static int close_shard(struct queue *shard, const struct numbers *n, struct shards_reply *reply,
		       struct err *e)
{
	strcpy(reply->field, n->number);
	do {
		char from[16];
		strcpy(from, reply->field);
		if (shards_change(shard, from, n->closed, reply, e) < 0)
			return -1;
	} while (!reply->done &&
		 (!strcmp(reply->field, n->making) || !strcmp(reply->field, n->number) ||
		  (!reply->field[0] && shard->shard > 0)));
	return reply->done;
}

/* remove_shard removes a shard that is closed. */
static int remove_shard(struct queue *shard, const struct numbers *n, struct shards_removed *out,
			struct shards_reply *reply, struct err *e)
{
	if (shards_change(shard, n->closed, "", reply, e) < 0)
		return -1;
	if (!reply->done)
		return 0;
	out->messages += reply->messages;
	if (strlen(reply->generation) > strlen(out->generation) ||
	    strcmp(reply->generation, out->generation) > 0)
		strcpy(out->generation, reply->generation);
	return 0;
}

/* remove_once: 1: another client has created the queue again, or completed its creation,
 * so it must be closed again. */
static int remove_once(struct queue *q, const struct numbers *n, struct shards_removed *out,
		       struct err *e)
{
	struct shards_reply reply = {.field = ""};
	int closed = close_shard(q, n, &reply, e);

	out->gone = closed == 0 && !reply.field[0];
	if (closed == 0)
		return 0; /* it is gone, or has another number */
	for (int i = 1; i < q->shards && closed >= 0; i++)
		closed = close_shard(shards_at(q, i), n, &reply, e);
	for (int i = q->shards - 1; i > 0 && closed >= 0; i--) {
		if (remove_shard(shards_at(q, i), n, out, &reply, e) < 0)
			return -1;
		if (!strcmp(reply.field, n->number))
			return 1;
	}
	if (closed < 0 || remove_shard(q, n, out, &reply, e) < 0)
		return -1;
	out->gone = !reply.field[0];
	return !out->gone;
}

int shards_remove(struct queue *q, struct shards_removed *out, struct err *e)
{
	const struct numbers n = numbers_of(q->shards);
	int status = 1;

	memset(out, 0, sizeof *out);
	for (int i = 0; i < REMOVE_TRIES && status > 0; i++)
		status = remove_once(q, &n, out, e);
	if (status > 0)
		return err_set(e, DQ_TEMPORARY, "other clients create it again at the same time");
	return status;
}
