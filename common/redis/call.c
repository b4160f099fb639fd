#include "redis/call.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "redis/conn.h"
#include "redis/reply.h"
#include "redis/script.h"
#include "redis/slot.h"

static struct err no_memory = {.status = DQ_TEMPORARY, .fate = FATE_UNKNOWN,
			       .text = "out of memory"};

void call_blame(struct call *call, const struct err *e)
{
	if (!e && call->why != &no_memory)
		free(call->why);
	if (!e)
		call->why = NULL;
	else if (!call->why && !(call->why = malloc(sizeof *e)))
		call->why = &no_memory;
	else if (call->why != &no_memory)
		*call->why = *e;
}

int call_send(struct call *call, struct conn *c, struct err *e)
{
	return call->overflow ? conn_short(c, e) :
				conn_send(c, call->argc, call->argv, call->lens, call, e);
}

void call_forget_reply(struct call *call)
{
	reply_free(call->reply);
	call->reply = NULL;
}

static void call_clear(struct call *call)
{
	call_drop(call);
	call_blame(call, NULL);
	call->argc = call->key = 0;
	call->overflow = call->reads = call->hurried = call->sent_before = false;
	call->loss = LOSS_FAILS;
	call->at = NULL;
	call->lane = call->repeat = NULL;
	call->before = NULL;
	call->confirms = NULL;
	call_forget_reply(call);
}

/* reads_only: Redis refuses the writes of such a script. */
static bool reads_only(const struct script *script)
{
	static const char flags[] = "#!lua flags=no-writes\n";

	return !strncmp(script->text, flags, sizeof flags - 1);
}

void call_start(struct call *call, const struct script *script, const struct name_keys *keys)
{
	_Static_assert(PART_COUNT == 18, "the numkeys that is sent below");

	call_clear(call);
	call->script = script;
	call->reads = reads_only(script);
	call_text(call, "EVALSHA");
	call_text(call, script->sha);
	call_text(call, "18");
	call->key = call->argc;
	for (int i = 0; i < PART_COUNT; i++)
		call_add(call, keys->key[i], keys->len[i]);
}

void call_start_on(struct call *call, const struct script *script, const char *key,
		   const char *other)
{
	call_clear(call);
	call->script = script;
	call->reads = reads_only(script);
	call_text(call, "EVALSHA");
	call_text(call, script->sha);
	call_text(call, "2");
	call->key = call->argc;
	call_text(call, key);
	call_text(call, other);
}

void call_like(struct call *call, const struct script *script, const struct call *other)
{
	call_clear(call);
	call->script = script;
	call_text(call, "EVALSHA");
	call_text(call, script->sha);
	call->key = other->key;
	for (int i = 2; i <= other->key + PART_COUNT; i++)
		call_add(call, other->argv[i], other->lens[i]);
}

void call_plain(struct call *call, const char *command)
{
	call_clear(call);
	call->script = NULL;
	call_text(call, command);
}

void call_read(struct call *call, const char *command)
{
	call_plain(call, command);
	call->reads = true;
}

static bool call_grow(struct call *call)
{
	int cap = call->cap ? call->cap * 2 : 32;
	const char **argv = realloc(call->argv, (size_t)cap * sizeof *argv);
	size_t *lens;

	if (argv)
		call->argv = argv;
	lens = realloc(call->lens, (size_t)cap * sizeof *lens);
	if (lens)
		call->lens = lens;
	if (!argv || !lens)
		return false;
	call->cap = cap;
	return true;
}

void call_add(struct call *call, const char *bytes, size_t len)
{
	if (call->argc == call->cap && !call_grow(call)) {
		call->overflow = true;
		return;
	}
	call->argv[call->argc] = bytes;
	call->lens[call->argc++] = len;
}

void call_key(struct call *call, const char *key, size_t len)
{
	call->key = call->argc;
	call_add(call, key, len);
}

void call_text(struct call *call, const char *text)
{
	call_add(call, text, strlen(text));
}

bool call_perhaps_done(const struct call *call)
{
	return call->repeated || call->state == CALL_SENT ||
	       (call->why && call->why->fate == FATE_UNKNOWN);
}

unsigned call_slot(const struct call *call)
{
	return slot_of(call->argv[call->key], call->lens[call->key]);
}

void call_free(struct call *call)
{
	call_clear(call);
	free(call->argv);
	free(call->lens);
	memset(call, 0, sizeof *call);
}

int call_failed(const struct call *call, struct err *e)
{
	if (call->reads && e->fate == FATE_UNKNOWN)
		e->fate = FATE_NOT_DONE;
	return -1;
}

int call_check(const struct call *call, struct err *e)
{
	if (call->reply->type != REDIS_REPLY_ERROR)
		return 0;
	reply_failed(call->reply, e);
	return call_failed(call, e);
}

int call_unexpected(const struct call *call, struct err *e)
{
	return err_set(e, DQ_INTERNAL, "unexpected reply to %s",
		       call->script ? call->script->name : call->argv[0]);
}
