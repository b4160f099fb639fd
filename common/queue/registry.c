#include "queue/registry.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "queue/forget.h"
#include "queue/stat.h"
#include "redis/cursor.h"
#include "redis/nodes.h"
#include "redis/reply.h"

#define PAGE "1000" /* names in a call: each keeps the server busy only briefly */

/* --- all names --- */

struct names {
	struct buf text; /* each ended by NUL */
	size_t count;
	struct cursor cursor;
};

static int is_page(const struct redisReply *reply)
{
	const struct redisReply *const *part = (const struct redisReply *const *)reply->element;

	return reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 && cursor_valid(part[0]) &&
	       part[1]->type == REDIS_REPLY_ARRAY && part[1]->elements % 2 == 0 &&
	       reply_is_array(part[1], part[1]->elements, REDIS_REPLY_STRING);
}

static int add_page(struct names *n, const struct redisReply *page)
{
	for (size_t i = 0; i < page->elements; i += 2) {
		const struct redisReply *name = page->element[i];
		if (!name_queue_valid(name->str, name->len))
			continue;
		if (buf_add(&n->text, name->str, name->len + 1) < 0)
			return -1;
		n->count++;
	}
	return 0;
}

static int read_page(struct names *n, struct exchange *x, const char *registry, struct err *e)
{
	struct call call = {0};
	int status;

	call_read(&call, "ZSCAN");
	call_key(&call, registry, strlen(registry));
	call_text(&call, n->cursor.text);
	call_text(&call, "COUNT");
	call_text(&call, PAGE);
	status = exchange_run(x, &call, NULL, e);
	if (status == 0 && !is_page(call.reply))
		status = call_unexpected(&call, e);
	if (status == 0)
		status = cursor_next(&n->cursor, &call, call.reply->element[0], e);
	if (status == 0 && n->cursor.anew)
		n->text.len = n->count = 0; /* the other server may lack some of them */
	if (status == 0 && add_page(n, call.reply->element[1]) < 0)
		status = err_memory(e);
	call_free(&call);
	return status;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* sorted returns the names, which point into n->text; the caller frees it. */
static const char **sorted(const struct names *n)
{
	const char **all = malloc((n->count + 1) * sizeof *all), *name = n->text.bytes;

	for (size_t i = 0; all && i < n->count; i++) {
		all[i] = name;
		name += strlen(name) + 1;
	}
	if (all)
		qsort(all, n->count, sizeof *all, compare);
	return all;
}

int registry_each(struct exchange *x, const char *prefix, int (*each)(void *ctx, const char *name),
		  void *ctx, struct err *e)
{
	struct names names = {.count = 0};
	char registry[NAME_KEY_MAX];
	const char **all = NULL;
	int status;

	name_registry(prefix, registry);
	cursor_begin(&names.cursor);
	do
		status = read_page(&names, x, registry, e);
	while (status == 0 && !names.cursor.ended);
	if (status == 0 && !(all = sorted(&names)))
		status = err_memory(e);
	for (size_t i = 0; status == 0 && i < names.count; i++) {
		/* a page may repeat a name of another page */
		bool again = i > 0 && !strcmp(all[i], all[i - 1]);
		if (!again && each(ctx, all[i]) < 0)
			status = err_reported(e);
	}
	free(all);
	buf_free(&names.text);
	return status;
}

/* --- adding a name --- */

void registry_add_call(struct call *call, const struct queue *q, const char *generation)
{
	call_plain(call, "ZADD");
	call_key(call, q->registry, strlen(q->registry));
	call_text(call, "GT");
	call_text(call, generation);
	call_text(call, q->name);
}

void registry_listed_call(struct call *call, const struct queue *q, const char *generation)
{
	queue_call(call, &script_listed, q);
	call_text(call, generation);
}

bool registry_added(const struct call *call)
{
	return call->reply->type == REDIS_REPLY_INTEGER && call->reply->integer == 1;
}

int registry_announce(const struct queue *q, struct node *node, struct err *e)
{
	const char *words[] = {"ZADD", q->newcomers, "0", "r", NULL};

	if (conn_words(&node->conn, words, NULL, e) < 0)
		return -1;
	conn_push(&node->conn);
	return 0;
}

int registry_list(struct queue *q, const char *generation, struct err *e)
{
	struct call call = {0};
	int status;

	registry_add_call(&call, q, generation);
	status = exchange_run(q->x, &call, NULL, e);
	if (status == 0 && registry_added(&call))
		status = registry_announce(q,
					   nodes_at(&q->x->nodes,
						    slot_of(q->registry, strlen(q->registry))),
					   e);
	if (status == 0) {
		registry_listed_call(&call, q, generation);
		status = exchange_run(q->x, &call, NULL, e);
		if (status < 0 && e->fate == FATE_SHARDS)
			/* meanwhile it was removed or divided: whoever did that unlists it, or
			 * lists it as it is now */
			status = 0;
	}
	call_free(&call);
	return status;
}

/* --- finding faults --- */

/* a put may still be listing a queue that is younger than this */
#define AT_WORK_US (60 * INT64_C(1000000))

/* What a queue says about itself. */
struct self {
	int64_t messages, now_us;
	bool anything;       /* has the queue any counters? */
	bool says;           /* the queue says that it is or was listed */
	char generation[24]; /* "" = none: no put of dq made the queue */
	int64_t made_us;     /* its time */
};

static int ask(struct queue *q, struct self *s, struct err *e)
{
	struct queue_counts c;
	const char *name, *value;
	struct err odd;
	int status = queue_stat(q, &c, e);

	memset(s, 0, sizeof *s);
	s->messages = c.delayed + c.due + c.ready + c.leased + c.dead;
	s->now_us = c.now * 1000;
	s->anything = c.counters > 0 || c.paused;
	for (size_t i = 0; i < c.counters; i++) {
		queue_counter(&c, i, &name, &value);
		s->says = s->says || !strcmp(name, "listed");
		if (!strcmp(name, "generation") &&
		    num_parse(value, 1, INT64_C(1) << 53, "generation", &s->made_us, &odd) == 0)
			snprintf(s->generation, sizeof s->generation, "%s", value);
	}
	queue_counts_free(&c);
	return status;
}

static int is_there(struct queue *q, bool *there, struct err *e)
{
	struct call call = {0};
	int status;

	call_read(&call, "ZSCORE");
	call_key(&call, q->registry, strlen(q->registry));
	call_text(&call, q->name);
	status = exchange_run(q->x, &call, NULL, e);
	if (status == 0 && call.reply->type != REDIS_REPLY_STRING &&
	    call.reply->type != REDIS_REPLY_NIL)
		status = call_unexpected(&call, e);
	*there = status == 0 && call.reply->type == REDIS_REPLY_STRING;
	call_free(&call);
	return status;
}

int registry_check(struct queue *q, struct call *begun, bool known, bool repair, const char **fault,
		   struct err *e)
{
	struct self before, after;
	bool there = false, listed, forgotten;

	*fault = NULL;
	if (known && (call_begun(begun) ? queue_exists_end(begun, q, &there, e) :
					  queue_exists(q, &there, e)) < 0)
		return -1;
	if (there)
		return 0; /* the names in the list exist */
	if (ask(q, &before, e) < 0)
		return -1;
	if (!before.messages && before.anything)
		return 0; /* an empty queue may stand in the list */
	if (is_there(q, &listed, e) < 0 || ask(q, &after, e) < 0)
		return -1;
	if (strcmp(before.generation, after.generation) != 0)
		return 0; /* another client is using it */
	if (after.messages && after.generation[0] && !listed &&
	    ((before.says && after.says) || after.now_us - after.made_us > AT_WORK_US))
		*fault = "not listed";
	else if (!after.messages && !after.anything && !before.messages && listed)
		*fault = "listed, and nothing is there";
	if (!*fault || !repair)
		return 0;
	return listed ? forget_queue(q, &forgotten, e) : registry_list(q, after.generation, e);
}
