#include "base/buf.h"
#include "base/err.h"
#include "unit.h"

static void grows(void)
{
	struct buf b = { 0 };
	int i, wrong = 0;

	CHECK(b.bytes == NULL);
	check_int(buf_add(&b, NULL, 0), 0);
	check_int(buf_text(&b, ""), 0);
	check_int(buf_reserve(&b, 0), 0);
	CHECK(b.bytes == NULL && b.len == 0);
	for (i = 0; i < 100000; i++)
		if (buf_char(&b, (char)(i % 251)) < 0)
			wrong++;
	check_int((int64_t)b.len, 100000);
	for (i = 0; i < 100000; i++)
		if (b.bytes[i] != (char)(i % 251))
			wrong++;
	check_int(wrong, 0);
	buf_free(&b);
	CHECK(b.bytes == NULL && b.len == 0 && b.cap == 0);
	buf_free(&b);
}

static void adders(void)
{
	struct buf b = { 0 };

	check_int(buf_text(&b, "ab"), 0);
	check_int(buf_add(&b, "\0c", 2), 0);
	check_int(buf_char(&b, '-'), 0);
	check_int(buf_format(&b, "%d:%s", 42, "x"), 0);
	check_int(buf_format(&b, "%s", ""), 0);
	check_bytes(b.bytes, b.len, "ab\0c-42:x", 9);
	check_int(buf_format(&b, "%0*d", 5000, 7), 0);
	check_int((int64_t)b.len, 5009);
	check_int(b.bytes[5008], '7');
	buf_free(&b);
}

static void drops(void)
{
	struct buf b = { 0 };

	buf_drop(&b, 0);
	buf_drop(&b, 5);
	check_int((int64_t)b.len, 0);
	check_int(buf_text(&b, "abcdef"), 0);
	buf_drop(&b, 0);
	buf_drop(&b, 2);
	check_bytes(b.bytes, b.len, "cdef", 4);
	check_int(buf_text(&b, "g"), 0);
	check_bytes(b.bytes, b.len, "cdefg", 5);
	buf_drop(&b, 5);
	check_int((int64_t)b.len, 0);
	check_int(buf_text(&b, "h"), 0);
	buf_drop(&b, SIZE_MAX);
	check_int((int64_t)b.len, 0);
	buf_free(&b);
}

static void shifts(void)
{
	struct buf b = { 0 };

	check_int((int64_t)buf_shift(&b, 0), 0);
	check_int(buf_text(&b, "abcdef"), 0);
	check_int((int64_t)buf_shift(&b, 3), 3); /* not the larger part */
	check_bytes(b.bytes, b.len, "abcdef", 6);
	check_int((int64_t)buf_shift(&b, 4), 0);
	check_bytes(b.bytes, b.len, "ef", 2);
	check_int((int64_t)buf_shift(&b, 2), 0);
	check_int((int64_t)b.len, 0);
	buf_free(&b);
}

static void out_of_memory(void)
{
	struct buf b = { 0 };
	char *bytes;
	size_t cap;

	check_int(buf_text(&b, "kept"), 0);
	bytes = b.bytes;
	cap = b.cap;
	check_int(buf_reserve(&b, SIZE_MAX), -1);
	check_int(buf_reserve(&b, SIZE_MAX / 2), -1);
	check_int(buf_reserve(&b, SIZE_MAX - 4), -1);
	CHECK(b.bytes == bytes && b.cap == cap);
	check_bytes(b.bytes, b.len, "kept", 4);
	check_int(buf_reserve(&b, 1000), 0);
	CHECK(b.cap - b.len >= 1000);
	check_bytes(b.bytes, b.len, "kept", 4);
	buf_free(&b);
}

static void errors(void)
{
	struct err e = { .fate = FATE_UNKNOWN };

	check_int(err_set(&e, DQ_DATA, "line %d", 3), -1);
	check_int(e.status, DQ_DATA);
	check_int(e.fate, FATE_NOT_DONE);
	check_text(e.text, "line 3");
	check_int(err_set(&e, e.status, "in: %s", e.text), -1);
	check_text(e.text, "in: line 3");
	check_int(err_set(&e, DQ_IO, "%0*d", 1000, 0), -1);
	check_int((int64_t)strlen(e.text), (int64_t)sizeof e.text - 1);
	check_int(err_memory(&e), -1);
	check_text(e.text, "out of memory");
}

int main(void)
{
	grows();
	adders();
	drops();
	shifts();
	out_of_memory();
	errors();
	return unit_end();
}
