#include "pace.h"

#include "tool/out.h"

/* At most so many messages, and about so many bytes. When a reader stops there may be a batch in its pipe, one on the way and one
 * that was asked for ahead, and then half of it, a quarter...: before the pipe is full (64 KiB) it is one at a time again. */
enum { MOST = 64, MOST_BYTES = 16384 };

void pace_look(struct pace *p, bool more, size_t each)
{
	int most = each * MOST > MOST_BYTES ? (int)(MOST_BYTES / each) : MOST;

	if (!p->varies)
		return;
	if (!more || most < 2)
		p->count = 1;
	else if (out_unread() != 0)
		p->count = p->count > 1 ? p->count / 2 : 1;
	else
		p->count = p->count * 2 < most ? p->count * 2 : most;
}
