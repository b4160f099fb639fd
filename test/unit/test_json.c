#include "dq-load/json.h"

#include "base/buf.h"
#include "base/text.h"
#include "unit.h"

static const char *const keys[] = {"a", "b", "list", "o", NULL};
enum { A, B, LIST, OBJECT, COUNT };

/* read copies the text, since it is read in place, without what would end it. */
static int read(const char *text, char copy[200], struct json v[COUNT], struct err *e)
{
	size_t len = strlen(text);

	memcpy(copy, text, len);
	return json_read(copy, len, keys, v, e);
}

static void refused(const char *text, const char *why)
{
	struct json v[COUNT];
	struct err e = {.status = DQ_DONE};
	char copy[200];

	check_row(read(text, copy, v, &e) < 0, text);
	check_row(e.status == DQ_DATA, text);
	check_row(strstr(e.text, why) != NULL, text);
}

static void texts(const char *json, const char *want, size_t len)
{
	struct json v[COUNT];
	struct err e;
	char copy[200];

	check_row(read(json, copy, v, &e) == 0, json);
	check_int(v[A].kind, JSON_TEXT);
	check_bytes(v[A].text, v[A].len, want, len);
}

static void values(void)
{
	struct json v[COUNT];
	struct err e;
	char copy[200];
	size_t at = 0;
	int64_t n;

	check_int(read(" { \"a\" : -12 ,\t\"list\":[ 0 ,9007199254740991, -1],\"b\":null}\r", copy,
		       v, &e),
		  0);
	check_int(v[A].kind, JSON_NUMBER);
	check_int(v[A].number, -12);
	check_int(v[B].kind, JSON_NULL);
	check_int(v[LIST].kind, JSON_LIST);
	CHECK(json_next(&v[LIST], &at, &n) && n == 0);
	CHECK(json_next(&v[LIST], &at, &n) && n == INT64_C(9007199254740991));
	CHECK(json_next(&v[LIST], &at, &n) && n == -1);
	CHECK(!json_next(&v[LIST], &at, &n));
	check_int(read("{\"b\":true,\"a\":false,\"list\":[]}", copy, v, &e), 0);
	check_int(v[B].kind, JSON_BOOL);
	check_int(v[B].number, 1);
	check_int(v[A].number, 0);
	at = 0;
	CHECK(!json_next(&v[LIST], &at, &n));
	check_int(read("{}", copy, v, &e), 0);
	check_int(v[A].kind, JSON_ABSENT);
}

/* An object in the object is read by a second call. */
static void objects(void)
{
	static const char *const parts[] = {"n", "ms", NULL};
	struct json v[COUNT], part[2];
	struct err e;
	char copy[200];

	check_int(read("{\"o\": { \"ms\" : 20,\"n\":1 } ,\"a\":7}", copy, v, &e), 0);
	check_int(v[OBJECT].kind, JSON_OBJECT);
	check_int(v[A].number, 7);
	check_int(json_read(v[OBJECT].text, v[OBJECT].len, parts, part, &e), 0);
	check_int(part[0].number, 1);
	check_int(part[1].number, 20);
	check_int(read("{\"o\":{}}", copy, v, &e), 0);
	check_int(json_read(v[OBJECT].text, v[OBJECT].len, parts, part, &e), 0);
	check_int(part[0].kind, JSON_ABSENT);
	refused("{\"o\":{\"n\":\"1\"}}", "no value");
	refused("{\"o\":{\"n\":{}}}", "no value");
	refused("{\"o\":{\"n\":1,}}", "no member");
	refused("{\"o\":{\"n\" 1}}", "no colon");
	refused("{\"o\":{\"\\u006e\":1}}", "no colon");
	refused("{\"o\":{\"n\":1", "no comma");
	refused("{\"o\":{\"n", "no colon");
}

/* What text_json writes is read as it was: every byte, and characters of each length. */
static void both_ways(void)
{
	struct buf b = {0};
	struct json v[COUNT];
	struct err e;
	char all[140];

	for (int c = 0; c < 0x80; c++)
		all[c] = (char)c;
	memcpy(all + 0x80, "\xc2\x80\xdf\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbf", 11);
	check_int(buf_text(&b, "{\"a\":"), 0);
	check_int(text_json(&b, all, 0x80 + 11), 0);
	check_int(buf_char(&b, '}'), 0);
	check_int(json_read(b.bytes, b.len, keys, v, &e), 0);
	check_bytes(v[A].text, v[A].len, all, 0x80 + 11);
	buf_free(&b);
}

int main(void)
{
	values();
	objects();
	both_ways();
	texts("{\"a\":\"\"}", "", 0);
	texts("{\"a\":\"x\\u0000y\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "x\0y\"\\/\b\f\n\r\t", 11);
	texts("{\"a\":\"\\u00e9\\u20AC\\ud83d\\ude00\"}", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	      9);
	refused("", "no object at byte 1");
	refused("{", "no member at byte 2");
	refused("{\"a\"", "no colon");
	refused("{\"a\":", "no value");
	refused("{\"a\":1", "no comma");
	refused("{\"a\":1,}", "no member");
	refused("{\"a\":1 \"b\":2}", "no comma");
	refused("{\"a\":1}}", "more than an object");
	refused("{\"a\":1,\"a\":1}", "repeated member: \"a\"");
	refused("{\"\\u0061\":1,\"a\":1}", "repeated member: \"a\"");
	refused("{\"aa\":1}", "unknown member: \"aa\"");
	refused("{\"\\u0000\":1}", "unknown member: \"\\0\"");
	refused("{\"a\":-}", "no value");
	refused("{\"a\":00}", "not a whole number");
	refused("{\"a\":1.0}", "not a whole number");
	refused("{\"a\":1E3}", "not a whole number");
	refused("{\"a\":9007199254740992}", "not a whole number");
	refused("{\"a\":99999999999999999999999999}", "not a whole number");
	refused("{\"a\":[1,]}", "no value");
	refused("{\"a\":[,1]}", "no value");
	refused("{\"a\":[1", "no comma");
	refused("{\"a\":{1}}", "no member");
	refused("{\"a\":nul}", "no value");
	refused("{\"a\":\"x", "cut off");
	refused("{\"a\":\"x\\", "no such escape");
	refused("{\"a\":\"\t\"}", "control byte");
	refused("{\"a\":\"\\ud83d\"}", "surrogate");
	refused("{\"a\":\"\\ud83d\\u0041\"}", "surrogate");
	refused("{\"a\":\"\\ude00\"}", "surrogate");
	refused("{\"a\":\"\\u12\"}", "hexadecimal");
	refused("{\"a\":\"\xff\"}", "not UTF-8");
	return unit_end();
}
