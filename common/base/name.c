#include "base/name.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SHOWN 100

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_plain(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
	       c == '_' || c == '-';
}

static bool valid(const char *s, size_t len, size_t max, bool colon)
{
	size_t i;

	for (i = 0; i < len && i <= max; i++)
		if (!is_plain(s[i]) && !(colon && s[i] == ':'))
			return false;
	return len >= 1 && len <= max;
}

bool name_queue_valid(const char *s, size_t len)
{
	return valid(s, len, NAME_MAX_BYTES, false);
}

bool name_id_valid(const char *s, size_t len)
{
	size_t key = name_key_len(s, len);

	if (key == 0)
		return valid(s, len, NAME_MAX_BYTES, true);
	return len <= NAME_MAX_BYTES && name_key_valid(s, key) &&
	       valid(s + key + 1, len - key - 1, NAME_KEY_PART_MAX, true);
}

size_t name_key_len(const char *s, size_t len)
{
	const char *plus = len > 0 ? memchr(s, '+', len) : NULL;

	return plus != NULL ? (size_t)(plus - s) : 0;
}

bool name_key_valid(const char *s, size_t len)
{
	return valid(s, len, NAME_KEY_PART_MAX, true) && *s != '-';
}

bool name_prefix_valid(const char *s, size_t len)
{
	return valid(s, len, NAME_PREFIX_MAX, true);
}

static int refuse(const char *s, size_t len, const char *why, struct err *e)
{
	char shown[SHOWN];

	return err_set(e, DQ_USAGE, "\"%s\": %s", text_shown(shown, sizeof shown, s, len), why);
}

static int queue_check(const char *s, size_t len, struct err *e)
{
	if (!name_queue_valid(s, len))
		return refuse(s, len, "a queue's name is 1 to 128 of A-Z a-z 0-9 . _ -", e);
	return 0;
}

int name_queue_check(const char *s, struct err *e)
{
	return queue_check(s, strlen(s), e);
}

int name_id_check(const char *s, size_t len, struct err *e)
{
	if (name_id_valid(s, len))
		return 0;
	if (len > 0 && memchr(s, '+', len) != NULL)
		return refuse(s, len,
			      "an id with a + is KEY+ID, both of A-Z a-z 0-9 . _ : -, at most 128 "
			      "bytes in all",
			      e);
	return refuse(s, len, "an id is 1 to 128 of A-Z a-z 0-9 . _ : -", e);
}

int name_key_check(const char *s, size_t len, struct err *e)
{
	if (!name_key_valid(s, len))
		return refuse(s, len,
			      "a key is 1 to 126 of A-Z a-z 0-9 . _ : - and does not begin "
			      "with -; of any text take a checksum: dq-recipes(7), FAIR SHARES",
			      e);
	return 0;
}

static bool token_valid(const char *s, size_t len)
{
	size_t i;

	if (len < 1 || len > NAME_TOKEN_MAX)
		return false;
	for (i = 0; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return true;
}

static const char *expected(int forms)
{
	switch (forms) {
	case NAME_MESSAGE:
		return "not the name of a message (QUEUE/ID)";
	case NAME_RECEIPT:
		return "not a receipt (QUEUE/ID@TOKEN)";
	case NAME_QUEUE | NAME_RECEIPT:
		return "neither a queue nor a receipt (QUEUE/ID@TOKEN)";
	case NAME_MESSAGE | NAME_RECEIPT:
		return "neither the name of a message (QUEUE/ID) nor a receipt (QUEUE/ID@TOKEN)";
	default:
		return "not a name (QUEUE or QUEUE/ID)";
	}
}

/* parse_id reads the ID or ID@TOKEN at s. word is the whole operand, for messages. */
static int parse_id(const char *s, const char *word, size_t len, int forms, struct name *out,
		    struct err *e)
{
	size_t rest = len - (size_t)(s - word);
	const char *at = memchr(s, '@', rest);
	size_t id_len = at != NULL ? (size_t)(at - s) : rest;
	size_t token_len = at != NULL ? rest - id_len - 1 : 0;

	if (id_len == 0)
		return refuse(word, len, "no id after the /", e);
	if (name_id_check(s, id_len, e) < 0)
		return -1;
	if (at == NULL && (forms & NAME_MESSAGE) == 0)
		return refuse(word, len, expected(forms), e);
	if (at != NULL && !token_valid(at + 1, token_len))
		return refuse(word, len, "what follows the @ of a receipt is 1 to 20 digits", e);
	memcpy(out->id, s, id_len);
	if (at != NULL)
		memcpy(out->token, at + 1, token_len);
	return 0;
}

int name_parse(const char *s, size_t len, int forms, struct name *out, struct err *e)
{
	struct name name = { "", "", "" };
	const char *slash = len > 0 ? memchr(s, '/', len) : NULL;
	size_t queue_len = slash != NULL ? (size_t)(slash - s) : len;

	if ((forms & (NAME_MESSAGE | NAME_RECEIPT)) == 0 && queue_check(s, len, e) < 0)
		return -1;
	if (slash == NULL && (forms & NAME_QUEUE) == 0)
		return refuse(s, len, expected(forms), e);
	if (slash != NULL && queue_len == 0)
		return refuse(s, len, "no queue before the /", e);
	if (queue_check(s, queue_len, e) < 0)
		return -1;
	memcpy(name.queue, s, queue_len);
	if (slash != NULL && parse_id(slash + 1, s, len, forms, &name, e) < 0)
		return -1;
	*out = name;
	return 0;
}

static const char *const part_text[PART_COUNT] = {
	[PART_MSG] = "msg",
	[PART_DELAYED] = "delayed",
	[PART_READY] = "ready",
	[PART_LEASED] = "leased",
	[PART_DEAD] = "dead",
	[PART_TRY] = "try",
	[PART_STAT] = "stat",
	[PART_WAKE] = "wake",
	[PART_CONF] = "conf",
	[PART_SETTLED] = "settled",
	[PART_TIMER] = "timer",
	[PART_EXPIRY] = "expiry",
	[PART_GUARD] = "guard",
	[PART_FAILING] = "failing",
	[PART_BEGUN] = "begun",
	[PART_OUTCOME] = "outcome",
	[PART_KEYED] = "keyed",
	[PART_TURN] = "turn",
};

void name_keys(const char *prefix, const char *queue, unsigned number, struct name_keys *out)
{
	char shard[12] = "";
	int i;

	if (number)
		snprintf(shard, sizeof shard, "/%u", number);
	for (i = 0; i < PART_COUNT; i++) {
		snprintf(out->key[i], NAME_KEY_MAX, "%s:{%s%s}:%s", prefix, queue, shard,
			 part_text[i]);
		out->len[i] = strlen(out->key[i]);
	}
}

void name_registry(const char *prefix, char out[NAME_KEY_MAX])
{
	snprintf(out, NAME_KEY_MAX, "{%s:queues}", prefix);
}


void name_newcomers(const char *prefix, char out[NAME_KEY_MAX])
{
	snprintf(out, NAME_KEY_MAX, "{%s:queues}:new", prefix);
}
