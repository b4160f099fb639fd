/* Records on standard input: cut as a plain reading of the bytes cuts them, however they trickle
 * in; and each line of --tsv. */
#include <unistd.h>

#include "base/name.h"
#include "base/text.h"
#include "fuzz.h"
#include "message/line.h"
#include "tool/input.h"

#define MOST 16384 /* a pipe takes that at once */

/* want is what is left of the bytes, as a plain reader has it. */
struct want {
	const char *at;
	size_t left;
	int delimiter;
	size_t limit;
	bool ended;
};

static enum input_got next_wanted(struct want *w, const char **record, size_t *len)
{
	const char *end = w->delimiter >= 0 && w->left > 0 ? memchr(w->at, w->delimiter, w->left) :
							     NULL;

	if (w->ended || (w->left == 0 && w->delimiter >= 0))
		return INPUT_END;
	*record = w->at;
	*len = end != NULL ? (size_t)(end - w->at) : w->left;
	w->ended = end == NULL;
	w->left -= *len + (end != NULL);
	w->at += *len + (end != NULL);
	return *len > w->limit ? INPUT_TOO_LONG : INPUT_RECORD;
}

/* tsv reads the line, which it may change, and says that what it made is sound. */
static void tsv(const char *line, size_t len)
{
	char *copy = fuzz_bytes((const uint8_t *)line, len);
	struct line got = {.key = NULL};
	struct err e;

	if (line_tsv(copy, len, &got, &e) < 0) {
		fuzz_refused(&e, DQ_DATA);
	} else {
		const char *digits = got.due + (got.due[0] == '@');
		HOLDS(got.id == NULL || name_id_valid(got.id, got.id_len));
		HOLDS(got.key_len == 0 ||
		      (name_key_valid(got.key, got.key_len) && got.key_len <= LINE_KEY_MAX));
		HOLDS(strspn(digits, "0123456789") == strlen(digits) &&
		      (got.due[0] != '@' || *digits));
		HOLDS(got.payload >= copy && got.payload + got.len <= copy + len);
	}
	free(copy);
}

static void read_all(struct input *in, struct want *w)
{
	for (;;) {
		const char *wanted = NULL;
		char *record;
		size_t len, wanted_len = 0;
		struct err e;
		enum input_got want = next_wanted(w, &wanted, &wanted_len), got;

		input_waits(in);
		got = input_next(in, &record, &len, &e);
		HOLDS(got == want);
		if (got == INPUT_END)
			break;
		if (got != INPUT_RECORD)
			continue;
		HOLDS(len == wanted_len && (len == 0 || !memcmp(record, wanted, len)));
		tsv(record, len);
	}
}

/* The first byte picks the delimiter, the second the limit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int delimiters[] = {'\n', '\0', '\t', -1};
	int fds[2];
	struct input in;
	struct want w;
	struct err e;
	char *record;
	size_t len;

	if (size < 2 || size > MOST)
		return 0;
	HOLDS(pipe(fds) == 0);
	HOLDS(write(fds[1], data + 2, size - 2) == (ssize_t)size - 2);
	close(fds[1]);
	w = (struct want){(const char *)data + 2, size - 2, delimiters[data[0] % 4], data[1],
			  false};
	input_init(&in, fds[0], -1, w.delimiter, w.limit);
	read_all(&in, &w);
	HOLDS(input_next(&in, &record, &len, &e) == INPUT_END);
	input_free(&in);
	close(fds[0]);
	return 0;
}
