#include <stdlib.h>
#include <string.h>

#include "redis/reply.h"
#include "redis/script.h"

static void call_clear(struct call *call)
{
	call->argc = call->key = 0;
	call->overflow = call->again = call->reads = false;
	reply_free(call->reply);
	call->reply = NULL;
}

/* reads_only: Redis refuses the writes of such a script. */
static bool reads_only(const struct script *script)
{
	static const char flags[] = "#!lua flags=no-writes\n";

	return !strncmp(script->text, flags, sizeof flags - 1);
}

void call_start(struct call *call, const struct script *script, const struct name_keys *keys)
{
	_Static_assert(PART_COUNT == 13, "the numkeys that is sent below");

	call_clear(call);
	call->script = script;
	call->reads = reads_only(script);
	call_text(call, "EVALSHA");
	call_text(call, script->sha);
	call_text(call, "13");
	call->key = call->argc;
	for (int i = 0; i < PART_COUNT; i++)
		call_add(call, keys->key[i], keys->len[i]);
}

void call_start_on(struct call *call, const struct script *script, const char *key, const char *other)
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

void call_free(struct call *call)
{
	call_clear(call);
	free(call->argv);
	free(call->lens);
	memset(call, 0, sizeof *call);
}
