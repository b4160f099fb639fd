#include "message/outcome.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/time.h"

static const char *const words[] = {"done", "dead", "removed", NULL};

const char *outcome_what(const char *text, size_t len)
{
	int i = 0;

	while (words[i] && (strlen(words[i]) != len || memcmp(words[i], text, len) != 0))
		i++;
	return words[i];
}

/* read_number reads digits, and moves *at behind them and the character that must follow. Of more
 * than TIME_MAX only that is known. */
static bool read_number(const char **at, const char *end, char follows, int64_t *n)
{
	const char *from = *at;

	*n = 0;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		*n = *n <= TIME_MAX ? *n * 10 + (**at - '0') : *n;
	if (*at == from || *at == end || **at != follows)
		return false;
	++*at;
	return true;
}

static bool read_tries(const char **at, const char *end, struct tries *tries)
{
	const char *from = *at;

	tries->given_back = 0;
	if (read_number(at, end, ' ', &tries->counted))
		return true;
	*at = from;
	return read_number(at, end, '+', &tries->counted) &&
	       read_number(at, end, ' ', &tries->given_back);
}

void outcome_read(struct outcome *o, const char *text, size_t len)
{
	const char *end = text + len, *at = memchr(text, ' ', len), *what;

	*o = (struct outcome){.what = NULL};
	what = at ? outcome_what(text, (size_t)(at - text)) : NULL;
	if (!what)
		return;
	at++;
	if (!read_tries(&at, end, &o->tries) || !read_number(&at, end, '\n', &o->at) ||
	    o->at > TIME_MAX)
		return;
	o->what = what;
	o->text = at;
	o->len = (size_t)(end - at);
}

int outcome_write(struct buf *out, const struct outcome *o)
{
	if (buf_format(out, "%s ", o->what) < 0 || tries_write(out, &o->tries) < 0 ||
	    buf_format(out, " %lld\n", (long long)o->at) < 0)
		return -1;
	return o->len ? buf_add(out, o->text, o->len) : 0;
}

int outcome_members(struct buf *out, const struct outcome *o)
{
	if (!o->what)
		return 0;
	if (buf_format(out, ",\"outcome\":\"%s\"", o->what) < 0 ||
	    text_number(out, "ended_ms", o->at) < 0 ||
	    text_number(out, "tries", o->tries.counted) < 0 ||
	    text_number(out, "given_back", o->tries.given_back) < 0 || buf_char(out, ',') < 0)
		return -1;
	return text_members(out, "result", o->len ? o->text : NULL, o->len);
}
