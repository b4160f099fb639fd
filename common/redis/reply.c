#include "redis/reply.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/time.h"
#include "redis/errors.h"

void reply_free(struct redisReply *reply)
{
	if (reply)
		freeReplyObject(reply);
}

bool reply_is_number(const struct redisReply *reply)
{
	const long long max = 1LL << 53;

	return reply->type == REDIS_REPLY_INTEGER && reply->integer >= -max &&
	       reply->integer <= max;
}

bool reply_is_array(const struct redisReply *reply, size_t at_least, int type)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < at_least)
		return false;
	for (size_t i = 0; i < at_least; i++)
		if (type == REDIS_REPLY_INTEGER ? !reply_is_number(reply->element[i]) :
						  reply->element[i]->type != type)
			return false;
	return true;
}

#if HIREDIS_MAJOR > 0
typedef size_t array_length;
#else
typedef int array_length;
#endif

struct reply_limit {
	redisReplyObjectFunctions fn;
	const redisReplyObjectFunctions *usual;
	size_t elements; /* of the reply in progress */
	enum reply_refusal refused;
};

static int depth(const redisReadTask *task)
{
	int n = 1;

	while (n <= REPLY_DEPTH && (task = task->parent))
		n++;
	return n;
}

static void *create_array(const redisReadTask *task, array_length elements)
{
	struct reply_limit *limit = task->privdata;

	if (!task->parent)
		limit->elements = 0;
	if (depth(task) > REPLY_DEPTH)
		limit->refused = REPLY_TOO_DEEP;
	else if ((size_t)elements > REPLY_ELEMENTS - limit->elements)
		limit->refused = REPLY_TOO_LARGE;
	if (limit->refused)
		return NULL;
	limit->elements += (size_t)elements;
	return limit->usual->createArray(task, elements);
}

struct reply_limit *reply_limit(struct redisReader *reader)
{
	struct reply_limit *limit = malloc(sizeof *limit);

	if (!limit)
		return NULL;
	limit->usual = reader->fn;
	limit->fn = *reader->fn;
	limit->fn.createArray = create_array;
	limit->elements = 0;
	limit->refused = REPLY_NOT_REFUSED;
	reader->fn = &limit->fn;
	reader->privdata = limit;
	return limit;
}

enum reply_refusal reply_refused(const struct reply_limit *limit)
{
	return limit ? limit->refused : REPLY_NOT_REFUSED;
}

size_t reply_words(const struct redisReply *reply)
{
	const char *quote = strstr(reply->str, ", with args");

	return quote ? (size_t)(quote - reply->str) : (size_t)reply->len;
}

/* stands_alone: does the hint replace the server's words? */
static bool stands_alone(const char *hint)
{
	return hint[0] && hint[strlen(hint) - 1] != ' ';
}

/* clock_words replaces the script's time in ms by a date.
 * Without such a time, text stays as it is. */
static void clock_words(char *text, size_t cap)
{
	char date[TIME_TEXT];
	struct err ignored;
	int64_t ms;

	if (num_parse(text, TIME_MAX + 1, TIME_LAST, "ms", &ms, &ignored) < 0)
		return;
	time_format(ms, date);
	snprintf(text, cap, "the server's clock says %s: out of range (until May 2109)", date);
}

/* denied_words words a refused command within a script as the scripts do. Redis 7.0 does not name
 * the command; Redis 8 and Valkey have "to run the 'NAME' command". */
static void denied_words(char *text, size_t cap)
{
	const char *run = strstr(text, "to run the '"),
		   *name = run ? run + strlen("to run the '") : "";
	char upper[40] = "";
	size_t len = strcspn(name, "'");

	for (size_t i = 0; i < len && i + 1 < sizeof upper; i++) {
		upper[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
		upper[i + 1] = 0;
	}
	if (!strstr(text, " run "))
		snprintf(text, cap, "NOPERM this user has no right to a key of the queue");
	else
		snprintf(text, cap, "NOPERM this user has no right to run %s",
			 upper[0] ? upper :
				    "a command that the script needs (dq-scripts(7), PERMISSIONS)");
}

int reply_failed(const struct redisReply *reply, struct err *e)
{
	const struct error_meaning *m = errors_find(reply->str);
	const char *hint = m->hint ? m->hint : "", *words = "";
	size_t len = reply_words(reply), skip;
	char text[300];

	/* The codes of dq's scripts are for this table, not for people. */
	skip = reply_of_script(reply) ? strcspn(reply->str, " ") + 1 : 0;
	skip = len > skip ? skip : 0;
	text_shown(text, sizeof text, reply->str + skip, len - skip);
	if (m->kind == ERROR_CLOCK)
		clock_words(text, sizeof text);
	if (m->kind == ERROR_SCRIPT_NOPERM)
		denied_words(text, sizeof text);
	if (!stands_alone(hint))
		words = text[0] ? text : "an error without a text";
	err_set(e, m->status, "%s%s", hint, words);
	e->fate = m->fate;
	return -1;
}

bool reply_refuses(const struct redisReply *reply)
{
	return reply->type == REDIS_REPLY_ERROR && errors_find(reply->str)->turns_away;
}

bool reply_of_script(const struct redisReply *reply)
{
	return reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, "DQ", 2);
}
