#include "base/base64.h"
#include "unit.h"

#define LIT(s) (s), sizeof(s) - 1

static void both_ways(const char *s, size_t len, const char *want)
{
	struct buf b = {0};
	struct err e;
	size_t n;

	check_int(buf_char(&b, '='), 0); /* it is added behind what is there */
	check_int(base64_encode(&b, s, len), 0);
	check_int(b.bytes[0], '=');
	check_bytes(b.bytes + 1, b.len - 1, want, strlen(want));
	n = b.len - 1;
	check_int(base64_decode(b.bytes + 1, &n, &e), 0);
	check_bytes(b.bytes + 1, n, s, len);
	buf_free(&b);
}

static void vectors(void)
{
	both_ways(LIT(""), "");
	both_ways(LIT("f"), "Zg==");
	both_ways(LIT("fo"), "Zm8=");
	both_ways(LIT("foo"), "Zm9v");
	both_ways(LIT("foob"), "Zm9vYg==");
	both_ways(LIT("fooba"), "Zm9vYmE=");
	both_ways(LIT("foobar"), "Zm9vYmFy");
	both_ways(LIT("\xff\xfe\xfd"), "//79");
	both_ways(LIT("\xfb\xef\xbe\x00"), "++++AA==");
}

static void refused(const char *text, const char *why)
{
	struct err e = {.status = DQ_DONE};
	size_t len = strlen(text);
	char copy[32];

	memcpy(copy, text, len + 1);
	check_row(base64_decode(copy, &len, &e) < 0 && e.status == DQ_DATA, text);
	check_text(e.text, why);
}

static void not_base64(void)
{
	refused("Z", "not base64: wrong length");
	refused("Zg=", "not base64: wrong length");
	refused("Zg", "not base64: wrong length");
	refused("Zm9vY===", "not base64: byte 6"); /* at most two = */
	refused("====", "not base64: byte 1");
	refused("Zg=a", "not base64: byte 3");
	refused("Zm9v\n Zg", "not base64: byte 5");
	refused("AA*=", "not base64: byte 3");
	refused("Zm9-", "not base64: byte 4");
}

int main(void)
{
	vectors();
	not_base64();
	return unit_end();
}
