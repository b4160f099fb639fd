#include "base/utf8.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* cut: only max bytes are there to be read. */
static void cut(const char *s, size_t max, size_t want)
{
	size_t len = strlen(s), there = len < max ? len : max;
	char *part = malloc(there + 1);

	CHECK(part != NULL);
	if (!part)
		return;
	memcpy(part, s, there);
	check_int((int64_t)utf8_cut(part, len, max), (int64_t)want);
	free(part);
}

static void at_the_end_of_a_character(void)
{
	cut("", 0, 0);
	cut("abc", 3, 3);
	cut("abc", 2, 2);
	cut("abc", 0, 0);
	cut("a\xc3\xa9", 3, 3);
	cut("a\xc3\xa9", 2, 1);
	cut("a\xc3\xa9z", 3, 3);
	cut("\xe2\x82\xacz", 2, 0);
	cut("\xe2\x82\xacz", 1, 0);
	cut("\xe2\x82\xacz", 3, 3);
	for (size_t max = 0; max < 5; max++)
		cut("x\xf0\x9f\x98\x80", max, max < 1 ? 0 : 1);
	cut("x\xf0\x9f\x98\x80", 5, 5);
}

static void other_bytes_anywhere(void)
{
	cut("\xff\xff\xff", 2, 2);
	cut("a\x80\x80\x80\x80\x80", 4, 4);
	cut("\x80\x80\x80\x80", 3, 3);
	cut("\xc0\x80z", 1, 1);
	cut("\xc3\xa9\x80\x80z", 4, 4);
}

static void a_character_at_the_beginning(void)
{
	check_int((int64_t)utf8_length("a", 1), 1);
	check_int((int64_t)utf8_length("\xc3\xa9", 2), 2);
	check_int((int64_t)utf8_length("\xc3\xa9", 1), 0);
	check_int((int64_t)utf8_length("\xed\xa0\x80", 3), 0);
	check_int((int64_t)utf8_length("\xf0\x9f\x98\x80", 4), 4);
	check_int((int64_t)utf8_length("\x80", 1), 0);
}

int main(void)
{
	at_the_end_of_a_character();
	other_bytes_anywhere();
	a_character_at_the_beginning();
	return unit_end();
}
