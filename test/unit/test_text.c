#include "base/text.h"
#include "unit.h"

#define LIT(s) (s), sizeof(s) - 1

static void tsv(const char *s, size_t len, const char *want, size_t want_len)
{
	struct buf b = { 0 };

	check_int(text_tsv(&b, s, len), 0);
	check_bytes(b.bytes, b.len, want, want_len);
	b.len = text_untsv(b.bytes, b.len);
	check_bytes(b.bytes, b.len, s, len);
	buf_free(&b);
}

static void untsv(const char *s, size_t len, const char *want, size_t want_len)
{
	char copy[64];
	size_t got;

	memcpy(copy, s, len);
	got = text_untsv(copy, len);
	check_bytes(copy, got, want, want_len);
}

static void tsv_both_ways(void)
{
	char all[512];
	struct buf b = { 0 };
	size_t i;

	tsv(LIT(""), LIT(""));
	tsv(LIT("plain \"text\" \xff\x01"), LIT("plain \"text\" \xff\x01"));
	tsv(LIT("a\tb\nc\rd\\e"), LIT("a\\tb\\nc\\rd\\\\e"));
	tsv("\0" "12", 3, LIT("\\012"));
	tsv(LIT("\\0"), LIT("\\\\0"));
	tsv(LIT("\\"), LIT("\\\\"));
	tsv(LIT("\t\n\r\\"), LIT("\\t\\n\\r\\\\"));
	for (i = 0; i < 256; i++) {
		all[i] = (char)i;
		all[256 + i] = (char)(255 - i);
	}
	check_int(text_tsv(&b, all, sizeof all), 0);
	check_int((int64_t)b.len, 512 + 10);
	CHECK(memchr(b.bytes, '\t', b.len) == NULL && memchr(b.bytes, '\n', b.len) == NULL);
	CHECK(memchr(b.bytes, '\r', b.len) == NULL && memchr(b.bytes, '\0', b.len) == NULL);
	b.len = text_untsv(b.bytes, b.len);
	check_bytes(b.bytes, b.len, all, sizeof all);
	buf_free(&b);
}

static void untsv_odd(void)
{
	untsv(LIT("\\"), LIT("\\"));
	untsv(LIT("a\\"), LIT("a\\"));
	untsv(LIT("\\\\\\"), LIT("\\\\"));
	untsv(LIT("\\x\\a"), LIT("\\x\\a"));
	untsv(LIT("\\x\\t"), LIT("\\x\t"));
	untsv(LIT("\\0123"), "\0" "123", 4);
	untsv(LIT("\\\\0"), LIT("\\0"));
	untsv(LIT("\\\0"), LIT("\\\0"));
}

static void adds_behind(void)
{
	struct buf b = { 0 };

	check_int(buf_text(&b, "k="), 0);
	check_int(text_tsv(&b, LIT("\t")), 0);
	check_int(text_json(&b, LIT("v")), 0);
	check_bytes(b.bytes, b.len, "k=\\t\"v\"", 7);
	buf_free(&b);
}

static void json(const char *s, size_t len, const char *want)
{
	struct buf b = { 0 };

	check_int(text_json(&b, s, len), 0);
	check_bytes(b.bytes, b.len, want, strlen(want));
	buf_free(&b);
}

static void json_strings(void)
{
	json(LIT(""), "\"\"");
	json(LIT("plain/'<>"), "\"plain/'<>\"");
	json(LIT("a\"b\\c"), "\"a\\\"b\\\\c\"");
	json(LIT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
	json("\0" "1\x01\x1f\x7f", 5, "\"\\u00001\\u0001\\u001f\\u007f\"");
	json(LIT("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"");
	json(LIT("\xc2\x9b\xc2\xa0\xe2\x80\xae"), "\"\\u009b\xc2\xa0\\u202e\"");
	json(LIT("\xf3\xa0\x80\xa0\xf4\x8f\xbf\xbf"), "\"\\udb40\\udc20\xf4\x8f\xbf\xbf\"");
}

static void utf8(void)
{
	CHECK(text_utf8(LIT("")));
	CHECK(text_utf8(LIT("a\0z\x7f")));
	CHECK(text_utf8(LIT("\xc2\x80\xdf\xbf")));
	CHECK(text_utf8(LIT("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf")));
	CHECK(text_utf8(LIT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf")));
	CHECK(!text_utf8(LIT("\x80")));
	CHECK(!text_utf8(LIT("\xbf")));
	CHECK(!text_utf8(LIT("\xc0\x80")));         /* overlong */
	CHECK(!text_utf8(LIT("\xc1\xbf")));
	CHECK(!text_utf8(LIT("\xe0\x80\x80")));
	CHECK(!text_utf8(LIT("\xe0\x9f\xbf")));
	CHECK(!text_utf8(LIT("\xf0\x80\x80\x80")));
	CHECK(!text_utf8(LIT("\xf0\x8f\xbf\xbf")));
	CHECK(!text_utf8(LIT("\xed\xa0\x80")));     /* surrogates */
	CHECK(!text_utf8(LIT("\xed\xbf\xbf")));
	CHECK(!text_utf8(LIT("\xf4\x90\x80\x80"))); /* beyond U+10FFFF */
	CHECK(!text_utf8(LIT("\xf5\x80\x80\x80")));
	CHECK(!text_utf8(LIT("\xff")));
	CHECK(!text_utf8(LIT("\xfe")));
	CHECK(!text_utf8(LIT("\xc3")));             /* truncated */
	CHECK(!text_utf8(LIT("\xe2\x82")));
	CHECK(!text_utf8(LIT("\xf0\x9f\x98")));
	CHECK(!text_utf8(LIT("\xc3z")));
	CHECK(!text_utf8(LIT("\xe2\x82z")));
	CHECK(!text_utf8(LIT("\xf0\x9f\x98z")));
	CHECK(!text_utf8(LIT("ok\xc3\xc3\xbc")));
	CHECK(!text_utf8("\xc3\xbc", 1));
}

static void shown(size_t cap, const char *s, size_t len, const char *want)
{
	char dst[64];

	memset(dst, '#', sizeof dst);
	CHECK(text_shown(dst, cap, s, len) == dst);
	check_text(dst, want);
	check_int(dst[cap], '#');
}

static void shown_to_a_terminal(void)
{
	char dst[64];

	shown(40, LIT(""), "");
	shown(40, LIT("it's \"~\""), "it's \"~\"");
	shown(40, LIT("\\\n\r\t"), "\\\\\\n\\r\\t");
	shown(40, LIT("\0\x1b\x7f\x80\xff"), "\\0\\x1b\\x7f\\x80\\xff");
	shown(8, LIT("1234567"), "1234567");
	shown(8, LIT("12345678"), "1234...");
	shown(8, LIT("123\xff"), "123\\xff");
	shown(8, LIT("1234\xff"), "1234...");
	shown(8, LIT("\xff\xff"), "\\xff...");
	shown(8, LIT("1\xff\xff"), "1...");
	shown(9, LIT("1\xff\xff"), "1\\xff...");
	shown(8, LIT("\n\n\n\n"), "\\n\\n...");
	shown(8, LIT("1\xc3\xa9" "2345"), "1\xc3\xa9" "2345");
	shown(8, LIT("1\xc3\xa9" "23456"), "1\xc3\xa9" "2...");
	shown(8, LIT("123\xc3\xa9" "456"), "123...");
	shown(12, LIT("1\xe2\x80\xae"), "1...");
	shown(12, LIT("1\xc3\xc3\xff"), "1\\xc3...");
	check_text(text_harmless(dst, sizeof dst, LIT("\\x1b\n\xc3\xa9\xc2\x9b")),
		   "\\x1b\\n\xc3\xa9\\xc2\\x9b");
}

static void line(const char *s, size_t len, const char *want, size_t want_len)
{
	struct buf b = { 0 };

	check_int(text_line(&b, s, len), 0);
	check_bytes(b.bytes, b.len, want, want_len);
	buf_free(&b);
}

static void lines_for_people(void)
{
	line(LIT("a\tb\nc\rd\\e"), LIT("a\\tb\\nc\\rd\\\\e"));
	line("\0" "1", 2, LIT("\\01"));
	line(LIT("M\xc3\xa4rz \xe2\x82\xac \xf0\x9f\x98\x80"),
	     LIT("M\xc3\xa4rz \xe2\x82\xac \xf0\x9f\x98\x80"));
	line(LIT("\x1b[1m\a\b\x7f"), LIT("\\x1b[1m\\x07\\x08\\x7f"));
	line(LIT("\x9b" "1m"), LIT("\\x9b1m"));
	line(LIT("\xc2\x9b" "1m\xc2\xa0"), LIT("\\xc2\\x9b1m\xc2\xa0"));
	line(LIT("\xe2\x80\xae\xe2\x81\xa9\xe2\x80\x90"),
	     LIT("\\xe2\\x80\\xae\\xe2\\x81\\xa9\xe2\x80\x90"));
	line(LIT("\xd8\x9c\xe2\x80\xa8\xf3\xa0\x80\xa0"),
	     LIT("\\xd8\\x9c\\xe2\\x80\\xa8\\xf3\\xa0\\x80\\xa0"));
	line(LIT("\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b"),
		LIT("\\xc0\\x9b\\xe0\\x80\\x9b\\xf0\\x80\\x80\\x9b"));
	line(LIT("\xe2\x82"), LIT("\\xe2\\x82"));
	line(LIT("\xc2\xad\xe2\x80\x8b\xef\xbb\xbf"),
	     LIT("\\xc2\\xad\\xe2\\x80\\x8b\\xef\\xbb\\xbf"));
}

int main(void)
{
	tsv_both_ways();
	untsv_odd();
	adds_behind();
	json_strings();
	utf8();
	shown_to_a_terminal();
	lines_for_people();
	return unit_end();
}
