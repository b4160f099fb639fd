/* Queues, ids, prefixes, names and receipts: what is accepted is its parts put together again, and
 * makes keys in one slot. */
#include "base/name.h"
#include "fuzz.h"

static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:";

static bool is_legal(const char *s, size_t len, bool colon)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == '\0' || strchr(legal, s[i]) == NULL || (s[i] == ':' && !colon))
			return false;
	return true;
}

/* is_id: with one + it is a key, which begins with no -, and what follows,
 * both of at least one byte. */
static bool is_id(const char *s, size_t len)
{
	const char *plus = len > 0 ? memchr(s, '+', len) : NULL;
	size_t key = plus ? (size_t)(plus - s) : 0;

	if (!plus)
		return is_legal(s, len, true);
	return key > 0 && key + 1 < len && *s != '-' && is_legal(s, key, true) &&
	       is_legal(plus + 1, len - key - 1, true);
}

static void validators(const char *s, size_t len)
{
	bool fits = len >= 1 && len <= NAME_MAX_BYTES;

	HOLDS(name_queue_valid(s, len) == (fits && is_legal(s, len, false)));
	HOLDS(name_id_valid(s, len) == (fits && is_id(s, len)));
	HOLDS(name_key_valid(s, len) ==
	      (fits && len <= NAME_KEY_PART_MAX && is_legal(s, len, true) && *s != '-'));
	HOLDS(name_prefix_valid(s, len) ==
	      (len >= 1 && len <= NAME_PREFIX_MAX && is_legal(s, len, true)));
}

/* One pair of braces, around the queue, so that all keys of a queue share a slot of a cluster. */
static void keys(const char *prefix, const char *queue)
{
	struct name_keys k;
	char want[NAME_KEY_MAX];

	name_keys(prefix, queue, 0, &k);
	snprintf(want, sizeof want, "%s:{%s}:", prefix, queue);
	for (int i = 0; i < PART_COUNT; i++) {
		HOLDS(k.len[i] == strlen(k.key[i]) && k.len[i] < NAME_KEY_MAX - 1);
		HOLDS(!strncmp(k.key[i], want, strlen(want)));
		HOLDS(k.key[i][strlen(want)] != '\0' &&
		      strpbrk(k.key[i] + strlen(want), "{}:") == NULL);
		for (int j = 0; j < i; j++)
			HOLDS(strcmp(k.key[i], k.key[j]) != 0);
	}
}

static void names(const char *s, size_t len, int forms)
{
	static const struct name none;
	struct name n = none;
	char again[sizeof n];
	struct err e;

	if (name_parse(s, len, forms, &n, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(!memcmp(&n, &none, sizeof n));
		return;
	}
	snprintf(again, sizeof again, "%s%s%s%s%s", n.queue, n.id[0] ? "/" : "", n.id,
		 n.token[0] ? "@" : "", n.token);
	HOLDS(strlen(again) == len && !memcmp(s, again, len));
	HOLDS(name_queue_valid(n.queue, strlen(n.queue)));
	HOLDS(n.id[0] ?
		      name_id_valid(n.id, strlen(n.id)) && (forms & (NAME_MESSAGE | NAME_RECEIPT)) :
		      (forms & NAME_QUEUE) != 0);
	HOLDS(memchr(n.token, '\0', sizeof n.token) != NULL);
	HOLDS(strspn(n.token, "0123456789") == strlen(n.token));
	if (n.id[0] && !n.token[0])
		HOLDS((forms & NAME_MESSAGE) != 0);
	keys("dq", n.queue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_bytes(data, size), *text = fuzz_text(data, size);
	struct err e;

	validators(s, size);
	if (name_queue_check(text, &e) < 0)
		fuzz_refused(&e, DQ_USAGE);
	if (name_id_check(s, size, &e) < 0)
		fuzz_refused(&e, DQ_USAGE);
	if (name_key_check(s, size, &e) < 0)
		fuzz_refused(&e, DQ_USAGE);
	for (int forms = NAME_QUEUE; forms <= (NAME_QUEUE | NAME_MESSAGE | NAME_RECEIPT); forms++)
		names(s, size, forms);
	if (name_prefix_valid(text, strlen(text)))
		keys(text, "q");
	free(text);
	free(s);
	return 0;
}
