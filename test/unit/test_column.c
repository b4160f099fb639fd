#include "dq-stat/metrics/column.h"
#include "unit.h"

int main(void)
{
	static const int64_t numbers[] = {0, 1, 127, 128, 16383, 16384, 1795402337324,
					  INT64_C(1) << 53, INT64_MAX, -1, INT64_MIN};
	enum { COUNT = sizeof numbers / sizeof *numbers };
	struct buf column = {NULL, 0, 0};
	const char *at;

	for (int i = 0; i < COUNT; i++)
		CHECK(column_add(&column, numbers[i]) == 0);
	at = column.bytes;
	for (int i = 0; i < COUNT; i++)
		CHECK(column_next(&at) == numbers[i]);
	CHECK(at == column.bytes + column.len);
	buf_free(&column);
	return unit_end();
}
