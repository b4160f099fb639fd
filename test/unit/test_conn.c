/* What conn answers to wrong use, and to a peer that does not keep the protocol. */
#include <hiredis.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "reply.h"
#include "unit.h"

static const char *words[] = {"PING"};
static const size_t lens[] = {4};

static void connected(struct conn *c, int fds[2])
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000, .timeout = 1000, .stop_fd = -1};

	check_int(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	conn_init(c, &conf);
	c->redis = redisConnectFd(fds[0]);
	c->redis->flags &= ~REDIS_BLOCK;
}

static void misuse(void)
{
	struct redisReply *reply;
	struct conn c;
	void *tag;
	int fds[2];
	struct err e;

	connected(&c, fds);
	check_int(conn_recv(&c, &reply, &tag, &e), -1);
	check_text(e.text, "no reply is due");
	for (int i = 0; i < CONN_PENDING_MAX; i++)
		check_int(conn_send(&c, 1, words, lens, NULL, &e), 0);
	check_int(conn_send(&c, 1, words, lens, NULL, &e), -1);
	check_int(e.status, DQ_INTERNAL);
	conn_close(&c);
	check_int(conn_send(&c, 1, words, lens, NULL, &e), -1);
	check_text(e.text, "not connected");
	check_int(e.fate, FATE_NOT_DONE);
	check_int(conn_recv(&c, &reply, &tag, &e), -1);
	close(fds[1]);
}

/* said: by a peer whom nobody has asked. */
static void unasked(const char *said, enum status status)
{
	struct conn c;
	int fds[2];
	struct err e;

	connected(&c, fds);
	check_int(write(fds[1], said, strlen(said)), (int64_t)strlen(said));
	check_int(conn_send(&c, 1, words, lens, NULL, &e), -1);
	check_int(e.status, status);
	check_int(e.fate, FATE_NOT_DONE);
	CHECK(c.redis == NULL);
	close(fds[1]);
}

int main(void)
{
	misuse();
	unasked("+PONG\r\n", DQ_TEMPORARY);
	unasked("+PO", DQ_TEMPORARY);
	unasked("-ERR max number of clients reached\r\n", DQ_TEMPORARY);
	unasked("-NOAUTH Authentication required.\r\n", DQ_AUTH);
	unasked("hello\r\n", DQ_CONFIG);
	return unit_end();
}
