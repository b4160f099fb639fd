#include "queue/shards.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "redis/slot.h"
#include "redis/sock.h"

#define READS 20   /* at a queue that is being created: some calls a shard */
#define READ_PAUSE_MS 10
#define LEARN_MAX 20 /* in a row, each within LEARN_MS of the one before, however far it is */
#define LEARN_MS 2000

static unsigned part_of(const char *queue, unsigned number, int count)
{
	char tag[NAME_MAX_BYTES + 16];

	snprintf(tag, sizeof tag, number ? "%s/%u" : "%s", queue, number);
	return slot_of(tag, strlen(tag)) * (unsigned)count / SLOTS;
}

void shards_numbers(const char *queue, int count, unsigned numbers[SHARDS_MAX])
{
	unsigned first = part_of(queue, 0, count), n = (unsigned)count;
	int left = count - 1;

	memset(numbers, 0, SHARDS_MAX * sizeof *numbers);
	for (unsigned number = 1; left > 0; number++) {
		unsigned shard = (part_of(queue, number, count) + n - first) % n;
		if (shard == 0 || numbers[shard])
			continue;
		numbers[shard] = number;
		left--;
	}
}

int shards_of(int count, const char *id, size_t len)
{
	size_t key = name_key_len(id, len);

	return (int)(slot_crc16(id, key ? key : len) % (unsigned)count);
}

struct queue *shards_at(struct queue *q, int i)
{
	return i == 0 || !q->rest ? q : &q->rest[i - 1];
}

struct queue *shards_find(struct queue *q, const char *id, size_t len)
{
	return q->rest ? shards_at(q, shards_of(q->shards, id, len)) : q;
}

static void say(struct queue *q, int shards, int shard)
{
	q->shards = shards;
	q->shard = shard;
	q->now_arg[0] = '\0';
	q->shard_text[0] = '\0';
	if (shards < 2)
		return;
	snprintf(q->now_arg, sizeof q->now_arg, "/%d", shards);
	snprintf(q->shard_text, sizeof q->shard_text, "%d", shard);
}

/* group_of finds or makes the group of that number, from 2 on. NULL: out of memory. */
static struct shard_group *group_of(struct queue *q, int count)
{
	struct shard_group *group = q->groups;
	char prefix[NAME_PREFIX_MAX + 1];
	unsigned numbers[SHARDS_MAX];

	while (group && group->count != count)
		group = group->next;
	if (group)
		return group;
	group = calloc(1, sizeof *group + (size_t)(count - 1) * sizeof group->shards[0]);
	if (!group)
		return NULL;
	snprintf(prefix, sizeof prefix, "%.*s", (int)strcspn(q->keys.key[0], "{") - 1,
		 q->keys.key[0]);
	shards_numbers(q->name, count, numbers);
	for (int i = 1; i < count; i++) {
		struct queue *shard = &group->shards[i - 1];
		queue_init(shard, q->x, prefix, q->name);
		name_keys(prefix, q->name, numbers[i], &shard->keys);
		say(shard, count, i);
	}
	group->count = count;
	group->next = q->groups;
	q->groups = group;
	return group;
}

/* Callers up the stack may still use the shards of the former number, so these stay. */
int shards_set(struct queue *q, int count, struct err *e)
{
	struct shard_group *group = count > 1 ? group_of(q, count) : NULL;

	if (count > 1 && !group)
		return err_memory(e);
	q->rest = group ? group->shards : NULL;
	say(q, count, 0);
	return 0;
}

/* number_in: the number in the field shards of a shard; 0: it is not valid. */
static int number_in(const char *field)
{
	char digits[16];
	struct err odd;
	int64_t n;

	snprintf(digits, sizeof digits, "%.*s", (int)strcspn(field, "+-"), field);
	if (!field[0])
		return 1;
	return num_parse(digits, 2, SHARDS_MAX, "shards", &n, &odd) == 0 ? (int)n : 0;
}

/* It is part of a call that asked for another number of shards, so a lost connection is opened
 * again as for that one; unless the tool does that itself. */
int shards_field(struct queue *shard, char field[16], struct err *e)
{
	struct call call = {0};
	int status;

	field[0] = '\0';
	call_read(&call, "HGET");
	call_key(&call, shard->keys.key[PART_STAT], shard->keys.len[PART_STAT]);
	call_text(&call, "shards");
	call.loss = shard->x->tool_repeats ? LOSS_FAILS : LOSS_REPEATS;
	status = exchange_run(shard->x, &call, NULL, e);
	if (status == 0 && call.reply->type == REDIS_REPLY_STRING)
		snprintf(field, 16, "%s", call.reply->str);
	else if (status == 0 && call.reply->type != REDIS_REPLY_NIL)
		status = call_unexpected(&call, e);
	call_free(&call);
	return status;
}

/* number_made: as shards_field of a whole, with the number in it;
 * while it is being created, it waits. */
static int number_made(struct queue *q, char field[16], int *count, struct err *e)
{
	for (int reads = 0;; reads++) {
		if (shards_field(q, field, e) < 0)
			return -1;
		*count = number_in(field);
		if (!*count)
			return err_set(e, DQ_INTERNAL,
				       "the field shards of its key stat is invalid");
		if (!strchr(field, '+') || reads == READS)
			return 0;
		if (sock_wait(-1, 0, clock_ms() + READ_PAUSE_MS, q->x->conf->wait.stop_fd, e) < 0)
			return -1;
	}
}

/* unfit: an error of this queue only: other queues, and the connection, are as they should be. */
static int unfit(struct err *e, int failed)
{
	e->fate = FATE_SHARDS;
	return failed;
}

int shards_judge(const struct queue *q, const char *field, struct err *e)
{
	int count = number_in(field);

	if (strchr(field, '-'))
		return unfit(e, err_set(e, DQ_TEMPORARY,
					"the queue is being removed; if that was "
					"interrupted: dq-rm -a %s",
					q->name));
	if (strchr(field, '+'))
		return unfit(e, err_set(e, DQ_TEMPORARY,
					"its %d shards are being created; if that was interrupted: "
					"dq-set %s shards=%d",
					count, q->name, count));
	return 0;
}

int shards_ask(struct queue *q, struct err *e)
{
	char field[16];
	int count;

	if (number_made(q, field, &count, e) < 0 || shards_judge(q, field, e) < 0)
		return -1;
	return count == q->shards ? 0 : shards_set(q, count, e);
}

int shards_ask_any(struct queue *q, bool *partly, struct err *e)
{
	char field[16];
	int count;

	*partly = false;
	if (number_made(q, field, &count, e) < 0)
		return -1;
	*partly = strpbrk(field, "+-") != NULL;
	return count == q->shards ? 0 : shards_set(q, count, e);
}

/* check_rest: -1: a shard other than 0 has another number than q. */
static int check_rest(struct queue *q, struct err *e)
{
	char field[16];

	for (int i = 1; i < q->shards; i++) {
		if (shards_field(shards_at(q, i), field, e) < 0)
			return -1;
		if (number_in(field) != q->shards || strpbrk(field, "+-"))
			return unfit(e, err_set(e, DQ_TEMPORARY,
						"not all of its %d shards are there: dq-set "
						"%s shards=%d",
						q->shards, q->name, q->shards));
	}
	return 0;
}

/* learns_too_often: the caller sends its call again after each time; a server that refuses that
 * over and over must not keep it for ever. */
static bool learns_too_often(struct queue *q)
{
	int64_t now = clock_ms();

	if (now - q->learnt_at > LEARN_MS)
		q->learnt = 0;
	q->learnt_at = now;
	return q->learnt >= LEARN_MAX;
}

int shards_learn(struct queue *q, struct err *e)
{
	int count = q->shards;

	if (learns_too_often(q))
		return unfit(e, err_set(e, DQ_TEMPORARY,
					"other clients change its shards at the same time"));
	if (shards_ask(q, e) < 0 || (q->shards == count && check_rest(q, e) < 0))
		return -1;
	q->learnt++;
	return 0;
}
