/* ping SOCKET: the least that a one-shot program on hiredis does: start, connect, one exchange,
 * end. */
#include <hiredis.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	redisContext *c = argc == 2 ? redisConnectUnix(argv[1]) : NULL;
	redisReply *reply;

	if (!c || c->err)
		return 1;
	reply = redisCommand(c, "PING");
	if (!reply || strcmp(reply->str, "PONG"))
		return 1;
	puts(reply->str);
	freeReplyObject(reply);
	redisFree(c);
	return 0;
}
