#include "redis/cursor.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#define BEGIN "0"
#define DIGITS_MAX 20 /* it is below 2^64 */

void cursor_begin(struct cursor *c)
{
	strcpy(c->text, BEGIN);
	c->anew = c->ended = false;
}

bool cursor_at_begin(const struct cursor *c)
{
	return !strcmp(c->text, BEGIN);
}

bool cursor_valid(const struct redisReply *reply)
{
	return reply->type == REDIS_REPLY_STRING && reply->len > 0 && reply->len <= DIGITS_MAX &&
	       strspn(reply->str, "0123456789") == reply->len;
}

/* came: did the reply come by the connection of the first one? */
static bool came(struct cursor *c, const struct call *call)
{
	if (cursor_at_begin(c)) {
		c->node = call->node;
		c->opened = call->opened;
	}
	return c->node == call->node && c->opened == call->opened;
}

static int begin_anew(struct cursor *c, struct err *e)
{
	if (c->told)
		return err_set(e, DQ_TEMPORARY,
			       "another server replied, or the same one was restarted: "
			       "run it again");
	c->vain = c->replies > c->most ? 0 : c->vain + 1;
	if (c->vain == CURSOR_MAX_VAIN)
		return err_set(e, DQ_TEMPORARY, "the connection is lost again and again "
			       "before all is read");
	if (c->replies > c->most)
		c->most = c->replies;
	c->replies = 0;
	cursor_begin(c);
	c->anew = true;
	return 0;
}

int cursor_next(struct cursor *c, const struct call *call, const struct redisReply *next,
		struct err *e)
{
	if (!came(c, call))
		return begin_anew(c, e);
	c->replies++;
	c->anew = false;
	snprintf(c->text, sizeof c->text, "%s", next->str);
	c->ended = cursor_at_begin(c);
	return 0;
}
