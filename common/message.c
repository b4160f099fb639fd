#include "message.h"

#include "queue.h"

int message_header(const struct message_options *o, struct buf *out)
{
	const char *space = "";

	if (o->tries != QUEUE_TRIES) {
		if (buf_format(out, "r=%lld", (long long)o->tries) < 0)
			return -1;
		space = " ";
	}
	if (o->ttr != QUEUE_TTR_MS && buf_format(out, "%st=%lld", space, (long long)o->ttr) < 0)
		return -1;
	return buf_char(out, '\n');
}
