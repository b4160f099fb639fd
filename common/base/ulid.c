#include "base/ulid.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#define MS_MAX ((UINT64_C(1) << 48) - 1)

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Adds one to the 80 bits, most significant byte first; false when they overflow. */
static bool count_up(uint8_t random[10])
{
	int i;

	for (i = 9; i >= 0; i--)
		if (++random[i] != 0)
			return true;
	return false;
}

static int draw(uint8_t random[10], struct err *e)
{
	ssize_t n;

	do
		n = getrandom(random, 10, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(e, DQ_INTERNAL, "no random bytes from the kernel: %s",
			       strerror(errno));
	if (n != 10)
		return err_set(e, DQ_INTERNAL, "too few random bytes from the kernel");
	return 0;
}

/* The first 10 random bits are those of the clock: of the ms, in 1024 parts. */
static unsigned part_of(const uint8_t random[10])
{
	return (unsigned)random[0] << 2 | random[1] >> 6;
}

static void set_part(uint8_t random[10], unsigned part)
{
	random[0] = (uint8_t)(part >> 2);
	random[1] = (uint8_t)((part & 3) << 6 | (random[1] & 63));
}

static void encode(uint64_t bits, int chars, char *out)
{
	int i;

	for (i = chars - 1; i >= 0; i--) {
		out[i] = alphabet[bits & 31];
		bits >>= 5;
	}
}

static uint64_t bits40(const uint8_t *bytes)
{
	uint64_t bits = 0;
	int i;

	for (i = 0; i < 5; i++)
		bits = bits << 8 | bytes[i];
	return bits;
}

int ulid_next(struct ulid *u, uint64_t now_us, char out[ULID_CHARS + 1], struct err *e)
{
	/* ms 0 means that the maker is not used yet: do not continue from its zeros */
	uint64_t now_ms = now_us < 1000 ? 1 : now_us / 1000;
	unsigned part = (unsigned)(now_us % 1000 * 1024 / 1000);
	struct ulid next = *u;

	if (now_ms == next.ms && part > part_of(next.random))
		set_part(next.random, part);
	if (now_ms > next.ms)
		next.ms = now_ms;
	else if (!count_up(next.random))
		next.ms++;
	if (next.ms > MS_MAX)
		return err_set(e, DQ_INTERNAL, "the clock is beyond the 48 bits of an id");
	if (next.ms > u->ms) {
		if (draw(next.random, e) < 0)
			return -1;
		set_part(next.random, part);
	}
	encode(next.ms, 10, out);
	encode(bits40(next.random), 8, out + 10);
	encode(bits40(next.random + 5), 8, out + 18);
	out[ULID_CHARS] = '\0';
	*u = next;
	return 0;
}
