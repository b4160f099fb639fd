#include "redis/request.h"

#include <string.h>

#define HEAD_MAX 24 /* a type, a count and CR LF */

/* add_head appends TYPE COUNT CR LF; there is room for it. */
static void add_head(struct buf *out, char type, size_t count)
{
	char head[HEAD_MAX];
	size_t at = sizeof head;

	head[--at] = '\n';
	head[--at] = '\r';
	do
		head[--at] = (char)('0' + count % 10);
	while (count /= 10);
	head[--at] = type;
	memcpy(out->bytes + out->len, head + at, sizeof head - at);
	out->len += sizeof head - at;
}

int request_add(struct buf *out, int argc, const char *const argv[], const size_t lens[])
{
	size_t need = HEAD_MAX;

	for (int i = 0; i < argc; i++)
		need += HEAD_MAX + lens[i] + 2;
	if (buf_reserve(out, need) < 0)
		return -1;
	add_head(out, '*', (size_t)argc);
	for (int i = 0; i < argc; i++) {
		add_head(out, '$', lens[i]);
		memcpy(out->bytes + out->len, argv[i], lens[i]);
		out->len += lens[i];
		memcpy(out->bytes + out->len, "\r\n", 2);
		out->len += 2;
	}
	return 0;
}
