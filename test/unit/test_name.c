#include "base/name.h"
#include "unit.h"

#define ANY (NAME_QUEUE | NAME_MESSAGE | NAME_RECEIPT)

static char long_name[NAME_MAX_BYTES + 2]; /* 129 times 'a' */

static void characters(void)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	int c;

	for (c = 0; c < 256; c++) {
		char s[3] = { 'a', (char)c, 'z' };
		bool ok = c != 0 && strchr(plain, c) != NULL;

		check_int(name_queue_valid(s, 3), ok);
		check_int(name_id_valid(s, 3), ok || c == ':' || c == '+');
		check_int(name_prefix_valid(s, 3), ok || c == ':');
		check_int(name_queue_valid(s + 1, 1), ok);
	}
}

static void lengths(void)
{
	CHECK(!name_queue_valid("", 0));
	CHECK(!name_id_valid("", 0));
	CHECK(!name_prefix_valid("", 0));
	CHECK(name_queue_valid(long_name, 1));
	CHECK(name_queue_valid(long_name, 128));
	CHECK(!name_queue_valid(long_name, 129));
	CHECK(name_id_valid(long_name, 128));
	CHECK(!name_id_valid(long_name, 129));
	CHECK(name_prefix_valid(long_name, 64));
	CHECK(!name_prefix_valid(long_name, 65));
	CHECK(name_queue_valid("ab/", 2));
}

static void with_key(void)
{
	static const char *const bad[] = {"+", "a+", "+a", "a++b", "a+b+c", "a+b+", "a/b+c",
					  "a+b c", "a+\n"};
	char id[NAME_MAX_BYTES + 2];
	struct err e = { 0 };

	CHECK(name_id_valid("a+b", 3));
	CHECK(name_id_valid("a:.-_+:.-_", 10));
	check_int((int64_t)name_key_len("ab+c", 4), 2);
	check_int((int64_t)name_key_len("ab+c", 2), 0);
	check_int((int64_t)name_key_len("", 0), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_row(!name_id_valid(bad[i], strlen(bad[i])), bad[i]);
	check_int(name_id_check("a+b+c", 5, &e), -1);
	check_text(e.text,
		   "\"a+b+c\": an id with a + is KEY+ID, both of A-Z a-z 0-9 . _ : -, at most 128 "
		   "bytes in all");
	for (size_t at = 1; at < NAME_MAX_BYTES; at += 63) {
		memset(id, 'a', sizeof id);
		id[at] = '+';
		check_int(name_id_valid(id, NAME_MAX_BYTES), at < NAME_MAX_BYTES - 1);
		CHECK(!name_id_valid(id, NAME_MAX_BYTES + 1));
	}
	check_int(name_key_check("a", 1, &e), 0);
	check_int(name_key_check(long_name, 126, &e), 0);
	check_int(name_key_check(long_name, 127, &e), -1);
	check_int(name_key_check("", 0, &e), -1);
	check_text(e.text,
		   "\"\": a key is 1 to 126 of A-Z a-z 0-9 . _ : - and does not begin with -; "
		   "of any text take a checksum: dq-recipes(7), FAIR SHARES");
	check_int(name_key_check("a+b", 3, &e), -1);
	check_int(name_key_check("-p", 2, &e), -1); /* dq-put -k $empty -p 5 */
	CHECK(!name_id_valid("-p+a", 4));
	CHECK(name_id_valid("p+-a", 4));
	CHECK(!name_queue_valid("a+b", 3) && !name_prefix_valid("a+b", 3));
}

static void checks(void)
{
	struct err e = { 0 };

	check_int(name_queue_check("mail.out_1-x", &e), 0);
	check_int(name_queue_check("a/b", &e), -1);
	check_int(e.status, DQ_USAGE);
	check_text(e.text, "\"a/b\": a queue's name is 1 to 128 of A-Z a-z 0-9 . _ -");
	check_int(name_queue_check("", &e), -1);
	check_int(name_queue_check("a:b", &e), -1);
	check_int(name_id_check("a:b", 3, &e), 0);
	check_int(name_id_check("a\n\xff", 3, &e), -1);
	check_text(e.text, "\"a\\n\\xff\": an id is 1 to 128 of A-Z a-z 0-9 . _ : -");
	check_int(name_queue_check(long_name, &e), -1);
	CHECK(strstr(e.text, "...\": a queue's name is") != NULL);
}

static void good(const char *s, int forms, const char *queue, const char *id, const char *token)
{
	struct name name;
	struct err e = { 0 };

	memset(&name, 'x', sizeof name);
	check_row(name_parse(s, strlen(s), forms, &name, &e) == 0, s);
	if (e.text[0] != '\0')
		return;
	check_text(name.queue, queue);
	check_text(name.id, id);
	check_text(name.token, token);
}

static void bad_bytes(const char *s, size_t len, int forms, const char *why)
{
	struct name name, before;
	struct err e = { 0 };

	memset(&name, 'x', sizeof name);
	before = name;
	check_row(name_parse(s, len, forms, &name, &e) == -1, s);
	check_row(e.status == DQ_USAGE && memcmp(&name, &before, sizeof name) == 0, s);
	check_row(strstr(e.text, why) != NULL, s);
	if (strstr(e.text, why) == NULL)
		printf("# %s\n", e.text);
}

static void bad(const char *s, int forms, const char *why)
{
	bad_bytes(s, strlen(s), forms, why);
}

static void forms(void)
{
	good("q", NAME_QUEUE, "q", "", "");
	good("q", ANY, "q", "", "");
	good("q/i", NAME_MESSAGE, "q", "i", "");
	good("q/i:1", ANY, "q", "i:1", "");
	good("q/i@7", NAME_MESSAGE, "q", "i", "7");
	good("q/i@7", NAME_RECEIPT, "q", "i", "7");
	good("q/i@12345678901234567890", ANY, "q", "i", "12345678901234567890");
	good("q/i", NAME_QUEUE | NAME_MESSAGE, "q", "i", "");
	good("q/k+i@7", ANY, "q", "k+i", "7");
	bad("q", NAME_MESSAGE, "\"q\": not the name of a message (QUEUE/ID)");
	bad("q", NAME_RECEIPT, "\"q\": not a receipt (QUEUE/ID@TOKEN)");
	bad("q", NAME_MESSAGE | NAME_RECEIPT, "neither the name of a message");
	bad("q/i", NAME_QUEUE, "\"q/i\": a queue's name is");
	bad("q/i@7", NAME_QUEUE, "\"q/i@7\": a queue's name is");
	bad("q/i", NAME_RECEIPT, "\"q/i\": not a receipt (QUEUE/ID@TOKEN)");
	bad("q/i", NAME_QUEUE | NAME_RECEIPT, "neither a queue nor a receipt");
}

static void bad_classes(void)
{
	bad("", ANY, "a queue's name is");
	bad("/", ANY, "no queue before the /");
	bad("/i", ANY, "no queue before the /");
	bad("q/", ANY, "no id after the /");
	bad("q//i", ANY, "an id is");
	bad("q/i/j", ANY, "an id is");
	bad("q@7", ANY, "a queue's name is");
	bad("q@7/i", ANY, "a queue's name is");
	bad("q/k+@7", ANY, "an id with a +");
	bad("q+/i", ANY, "a queue's name is");
	bad("q/@7", ANY, "no id after the /");
	bad("@", ANY, "a queue's name is");
	bad("q/i@", ANY, "1 to 20 digits");
	bad("q/i@@7", ANY, "1 to 20 digits");
	bad("q/i@7@8", ANY, "1 to 20 digits");
	bad("q/i@-7", ANY, "1 to 20 digits");
	bad("q/i@7 ", ANY, "1 to 20 digits");
	bad("q/i@0x7", ANY, "1 to 20 digits");
	bad("q/i@123456789012345678901", ANY, "1 to 20 digits");
	bad("{q}", ANY, "a queue's name is");
	bad("q/{i}", ANY, "an id is");
	bad("a b", ANY, "a queue's name is");
	bad("q/a b", ANY, "an id is");
	bad("q\n", ANY, "\"q\\n\": a queue's name is");
	bad("q/i\n", ANY, "\"i\\n\": an id is");
	bad("\xff", ANY, "\"\\xff\": a queue's name is");
	bad("q/\xff", ANY, "\"\\xff\": an id is");
	bad("a:b", ANY, "a queue's name is");
	bad_bytes("q\0", 2, ANY, "\"q\\0\": a queue's name is");
	bad_bytes("q/i\0", 4, ANY, "\"i\\0\": an id is");
	bad_bytes("q/i@7\0", 6, ANY, "1 to 20 digits");
	bad_bytes("q/i@7", 4, ANY, "1 to 20 digits");
}

static void longest(void)
{
	char word[2 * NAME_MAX_BYTES + 8];
	const char *a128 = long_name + 1;

	good(a128, ANY, a128, "", "");
	bad(long_name, ANY, "a queue's name is");
	snprintf(word, sizeof word, "%s/%s", a128, a128);
	good(word, ANY, a128, a128, "");
	snprintf(word, sizeof word, "q/%s@1", a128);
	good(word, ANY, "q", a128, "1");
	snprintf(word, sizeof word, "q/%s", long_name);
	bad(word, ANY, "an id is");
	snprintf(word, sizeof word, "%s/i", long_name);
	bad(word, ANY, "a queue's name is");
}

static void keys(void)
{
	static const char *const want[PART_COUNT] = {
		"dq:{mail}:msg", "dq:{mail}:delayed", "dq:{mail}:ready", "dq:{mail}:leased",
		"dq:{mail}:dead", "dq:{mail}:try", "dq:{mail}:stat", "dq:{mail}:wake",
		"dq:{mail}:conf", "dq:{mail}:settled", "dq:{mail}:timer", "dq:{mail}:expiry",
		"dq:{mail}:guard", "dq:{mail}:failing", "dq:{mail}:begun", "dq:{mail}:outcome",
		"dq:{mail}:keyed", "dq:{mail}:turn",
	};
	struct name_keys keys;
	char prefix[NAME_PREFIX_MAX + 1], registry[NAME_KEY_MAX];
	int i;

	name_keys("dq", "mail", 0, &keys);
	for (i = 0; i < PART_COUNT; i++) {
		check_text(keys.key[i], want[i]);
		check_int((int64_t)keys.len[i], (int64_t)strlen(want[i]));
	}
	name_registry("dq", registry);
	check_text(registry, "{dq:queues}");

	memset(prefix, 'p', NAME_PREFIX_MAX);
	prefix[NAME_PREFIX_MAX] = '\0';
	name_keys(prefix, long_name + 1, 99999, &keys);
	CHECK(strstr(keys.key[PART_SETTLED], "a/99999}:settled") != NULL);
	check_int((int64_t)keys.len[PART_SETTLED], 64 + 2 + 128 + 6 + 2 + 7);
}

int main(void)
{
	memset(long_name, 'a', NAME_MAX_BYTES + 1);
	characters();
	lengths();
	with_key();
	checks();
	forms();
	bad_classes();
	longest();
	keys();
	return unit_end();
}
