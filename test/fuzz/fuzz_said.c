/* Verdicts on descriptor 3: what is read is written, and reads again as the same. */
#include "fuzz.h"
#include "message/said.h"

static void again(const struct said *said)
{
	bool delays = said->verb == SETTLE_RETRY || said->verb == SETTLE_GIVE_BACK;
	struct said other;
	struct buf b = {0};
	struct err e;

	HOLDS(delays || said->amount[0] == '\0');
	HOLDS(said->verb == SETTLE_GIVE_BACK || said->amount[0] != '@');
	HOLDS(said_format(&b, said->verb, said->amount, said->reason) == 0);
	HOLDS(memchr(b.bytes, '\n', b.len) == b.bytes + b.len - 1);
	HOLDS(said_parse(b.bytes, b.len - 1, &other, &e) == 0);
	HOLDS(other.verb == said->verb && !strcmp(other.amount, said->amount));
	/* of other reasons a line has escapes */
	if (said->reason[0] != ' ' && fuzz_printable(said->reason, strlen(said->reason)))
		HOLDS(!strcmp(other.reason, said->reason));
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = fuzz_bytes(data, size);
	struct said said;
	struct err e;

	if (said_parse(line, size, &said, &e) < 0) {
		fuzz_refused(&e, DQ_DATA);
	} else {
		HOLDS(said.known);
		HOLDS(strlen(said.reason) <= SETTLE_REASON_MAX);
		HOLDS(strlen(said.amount) < sizeof said.amount &&
		      strspn(said.amount, "@0123456789") == strlen(said.amount));
		again(&said);
	}
	free(line);
	return 0;
}
