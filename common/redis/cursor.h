/* cursor: reads all of a key in several calls of SCAN, or of a script that scans. A cursor
 * has a meaning only on the connection by which it came: another server, and the same one
 * after a restart, has another order. By another connection all is read again, from the
 * beginning. It gives up if connections are lost again and again, and no new beginning gets
 * farther than those before. */
#ifndef DQ_CURSOR_H
#define DQ_CURSOR_H

#include "redis/call.h"

#define CURSOR_TEXT 24
#define CURSOR_MAX_VAIN 5 /* beginnings in a row that get no farther: then it gives up */

struct cursor {
	char text[CURSOR_TEXT]; /* for the next call */
	bool told;              /* set by the reader: what was read cannot be read again */
	bool anew;              /* the last reply came by another connection: all is read again */
	bool ended;             /* nothing is left */

	/* Of this module alone. */
	const struct node *node;
	unsigned opened;
	int64_t replies, most; /* since the beginning; of the one that got farthest */
	int vain;
};

/* cursor_begin begins with a key. What was read of others before counts as part of
 * the same work. */
void cursor_begin(struct cursor *c);

/* cursor_at_begin: the next call is the first one. */
bool cursor_at_begin(const struct cursor *c);

/* cursor_valid: may reply, a part of a reply, be a cursor? */
bool cursor_valid(const struct redisReply *reply);

/* cursor_next, after a reply to the call that sent c->text: next is the valid cursor in it. -1: it
 * gives up, DQ_TEMPORARY, FATE_NOT_DONE. */
int cursor_next(struct cursor *c, const struct call *call, const struct redisReply *next,
		struct err *e);

#endif
