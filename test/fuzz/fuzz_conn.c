/* A connection whose server says anything: no more replies than requests, in order, and after an
 * error it is closed. */
#include <hiredis.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "redis/conn.h"
#include "redis/reply.h"

static void connected(struct conn *c, int fd)
{
	const struct conn_conf conf = {.client_name = "fuzz", .connect_timeout = 1000,
				       .wait = {.timeout = 1000, .stop_fd = -1}};

	conn_init(c, &conf);
	c->redis = redisConnectFd(fd);
	HOLDS(c->redis != NULL);
	c->redis->flags &= ~REDIS_BLOCK;
	c->limit = reply_limit(c->redis->reader);
}

static void ask(struct conn *c, char tags[], int count)
{
	const char *words[] = {"PING"};
	const size_t lens[] = {4};
	struct err e;

	for (int i = 0; i < count; i++)
		HOLDS(conn_send(c, 1, words, lens, &tags[i], &e) == 0);
}

static void check_closed(const struct conn *c, const struct err *e)
{
	HOLDS(c->redis == NULL && c->pending == 0);
	HOLDS(e->status == DQ_TEMPORARY || e->status == DQ_INTERNAL || e->status == DQ_CONFIG ||
	      e->status == DQ_AUTH);
	HOLDS(e->text[0] != '\0' && fuzz_printable(e->text, strlen(e->text)));
}

/* hear reads what there is; the server says no more and has closed. */
static void hear(struct conn *c, char tags[], int count)
{
	struct redisReply *reply;
	void *tag;
	struct err e;

	for (int i = 0; i <= count; i++) {
		int status = i < count ? (i % 2 ? conn_recv(c, NULL, &reply, &tag, &e) :
						  conn_try(c, &reply, &tag, &e)) :
					 -1;

		if (status == 0 && i % 2 == 0)
			status = conn_recv(c, NULL, &reply, &tag, &e) == 0 ? 1 : -1;
		if (i == count) { /* nothing is asked for any more, and nothing can be */
			const char *words[] = {"PING"};
			const size_t lens[] = {4};
			c->heard = 0; /* long ago: who was heard just now is not looked at */
			HOLDS(conn_send(c, 1, words, lens, NULL, &e) < 0 &&
			      e.fate == FATE_NOT_DONE);
		} else if (status >= 0) {
			HOLDS(tag == &tags[i] && reply != NULL);
			reply_free(reply);
			continue;
		}
		check_closed(c, &e);
		return;
	}
}

/* The first byte says how many requests there are; the rest is what the server says. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fds[2], count;
	char tags[4];
	struct conn c;
	ssize_t n;

	if (size < 1 || size > 32768)
		return 0;
	count = 1 + data[0] % 4;
	HOLDS(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	connected(&c, fds[0]);
	ask(&c, tags, count);
	n = write(fds[1], data + 1, size - 1);
	HOLDS(n == (ssize_t)size - 1);
	shutdown(fds[1], SHUT_WR);
	hear(&c, tags, count);
	conn_close(&c);
	close(fds[1]);
	return 0;
}
