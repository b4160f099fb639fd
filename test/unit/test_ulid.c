#include "base/ulid.h"
#include "unit.h"

#define NOW UINT64_C(1795251600123) /* ms */
#define US 1000

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static uint64_t id_ms(const char *id)
{
	uint64_t ms = 0;
	int i;

	for (i = 0; i < 10; i++)
		ms = ms << 5 | (uint64_t)(strchr(alphabet, id[i]) - alphabet);
	return ms;
}

static void shape(void)
{
	struct ulid u = { 0 };
	struct err e;
	char id[ULID_CHARS + 1];
	uint64_t i;

	for (i = 0; i < 1000; i++) {
		check_int(ulid_next(&u, (NOW + i) * US, id, &e), 0);
		check_int((int64_t)strlen(id), ULID_CHARS);
		check_int((int64_t)strspn(id, alphabet), ULID_CHARS);
		CHECK(id[0] <= '7');
		check_int((int64_t)id_ms(id), (int64_t)(NOW + i));
	}
}

static void known(void)
{
	static const uint8_t random[10] = {0xff, 0x00, 0xff, 0x00, 0xff, 0x01, 0x23, 0x45, 0x67,
					   0x88};
	struct ulid u = { .ms = 1469918176385 }; /* 01ARYZ6S41 in the spec */
	struct err e;
	char id[ULID_CHARS + 1];

	memcpy(u.random, random, sizeof random);
	check_int(ulid_next(&u, 1, id, &e), 0);
	check_text(id, "01ARYZ6S41" "ZW0FY07Z" "04HMASW9");
}

static void rises(void)
{
	struct ulid u = { 0 };
	struct err e;
	char last[ULID_CHARS + 1] = "", id[ULID_CHARS + 1];
	int i;

	for (i = 0; i < 10000; i++) {
		uint64_t now = i < 3000 ? NOW : i < 6000 ? NOW - 3600000 : NOW + (uint64_t)i / 7;

		check_int(ulid_next(&u, now * US, id, &e), 0);
		CHECK(strcmp(last, id) < 0);
		memcpy(last, id, sizeof id);
	}
}

static void same_ms_counts_by_one(void)
{
	struct ulid u = { 0 }, before;
	struct err e;
	char id[ULID_CHARS + 1];

	ulid_next(&u, NOW * US, id, &e);
	memset(u.random, 0, sizeof u.random);
	memset(u.random + 7, 0xff, 3);
	before = u;
	check_int(ulid_next(&u, (NOW - 1) * US, id, &e), 0);
	check_int((int64_t)u.ms, (int64_t)before.ms);
	check_text(id + 10, "00000000000G0000"); /* 2^24 */
}

static void sorts_by_us(void)
{
	struct ulid stays = { 0 };
	struct err e;
	char last[ULID_CHARS + 1] = "", id[ULID_CHARS + 1];
	uint64_t us;

	for (us = 0; us < 3000; us++) { /* by turns of one that stays and one that is new */
		struct ulid new = { 0 };

		check_int(ulid_next(us % 2 ? &stays : &new, NOW * US + us, id, &e), 0);
		CHECK(strcmp(last, id) < 0);
		check_int((int64_t)id_ms(id), (int64_t)(NOW + us / US));
		memcpy(last, id, sizeof id);
	}
}

static void overflow(void)
{
	struct ulid u = { .ms = NOW };
	struct err e;
	char full[ULID_CHARS + 1], id[ULID_CHARS + 1];

	memset(u.random, 0xff, sizeof u.random);
	u.random[9] = 0xfe;
	check_int(ulid_next(&u, NOW * US, full, &e), 0);
	check_text(full + 10, "ZZZZZZZZZZZZZZZZ");
	check_int(ulid_next(&u, NOW * US, id, &e), 0);
	check_int((int64_t)id_ms(id), (int64_t)NOW + 1);
	CHECK(strcmp(full, id) < 0);
}

static void ends_of_time(void)
{
	struct ulid u = { 0 }, before;
	struct err e = { 0 };
	char id[ULID_CHARS + 1], other[ULID_CHARS + 1];

	check_int(ulid_next(&u, 0, id, &e), 0);
	u = (struct ulid){ 0 };
	check_int(ulid_next(&u, 0, other, &e), 0);
	CHECK(strcmp(id, other) != 0);

	check_int(ulid_next(&u, ((UINT64_C(1) << 48) - 1) * US, id, &e), 0);
	check_int(strncmp(id, "7ZZZZZZZZZ", 10), 0);
	memset(u.random, 0xff, sizeof u.random);
	before = u;
	check_int(ulid_next(&u, NOW * US, id, &e), -1);
	check_int(e.status, DQ_INTERNAL);
	check_int(ulid_next(&u, (UINT64_C(1) << 48) * US, id, &e), -1);
	CHECK(memcmp(&u, &before, sizeof u) == 0);
}

static void makers_differ(void)
{
	struct ulid a = { 0 }, b = { 0 };
	struct err e;
	char x[ULID_CHARS + 1], y[ULID_CHARS + 1];

	check_int(ulid_next(&a, NOW * US, x, &e), 0);
	check_int(ulid_next(&b, NOW * US, y, &e), 0);
	CHECK(strncmp(x, y, 10) == 0 && strcmp(x, y) != 0);
}

int main(void)
{
	shape();
	known();
	rises();
	same_ms_counts_by_one();
	sorts_by_us();
	overflow();
	ends_of_time();
	makers_differ();
	return unit_end();
}
