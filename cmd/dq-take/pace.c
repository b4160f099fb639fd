#include "pace.h"

#include "tool/out.h"

/* At most so many messages, and about so many bytes. When a reader stops, its pipe may hold a batch, one may be on the way and one asked
 * for ahead; then come half a batch, a quarter, and so on. So it takes one at a time again before the pipe (64 KiB) is full. */
enum { MOST = 64, MOST_BYTES = 16384 };

void pace_update(struct pace *p, bool more, size_t each)
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
