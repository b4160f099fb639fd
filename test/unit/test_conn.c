/* What conn answers to wrong use, and to a peer that does not keep the protocol. */
#include <fcntl.h>
#include <hiredis.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "redis/conn.h"
#include "redis/reply.h"
#include "unit.h"

static const char *words[] = {"PING"};
static const size_t lens[] = {4};

static void connected(struct conn *c, int fds[2])
{
	const struct conn_conf conf = {.client_name = "unit", .connect_timeout = 1000,
				       .wait = {1000, 0, -1}};

	check_int(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	conn_init(c, &conf);
	c->redis = redisConnectFd(fds[0]);
	c->redis->flags &= ~REDIS_BLOCK;
	c->limit = reply_limit(c->redis->reader);
}

static void misuse(void)
{
	struct redisReply *reply;
	struct conn c;
	void *tag;
	int fds[2];
	struct err e;

	connected(&c, fds);
	check_int(conn_recv(&c, NULL, &reply, &tag, &e), -1);
	check_text(e.text, "no reply is due");
	for (int i = 0; i < CONN_PENDING_MAX; i++)
		check_int(conn_send(&c, 1, words, lens, NULL, &e), 0);
	check_int(conn_send(&c, 1, words, lens, NULL, &e), -1);
	check_int(e.status, DQ_INTERNAL);
	conn_close(&c);
	check_int(conn_send(&c, 1, words, lens, NULL, &e), -1);
	check_text(e.text, "the connection was lost before");
	check_int(e.fate, FATE_NOT_DONE);
	check_int(conn_recv(&c, NULL, &reply, &tag, &e), -1);
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

/* nested: an answer of so many arrays in one another, the innermost empty.
 * What is asked for has fewer. */
static void nested(int levels, bool refused)
{
	struct redisReply *reply;
	struct conn c;
	struct err e;
	void *tag;
	int fds[2];

	connected(&c, fds);
	check_int(conn_send(&c, 1, words, lens, NULL, &e), 0);
	for (int i = 1; i < levels; i++)
		check_int(write(fds[1], "*1\r\n", 4), 4);
	check_int(write(fds[1], "*0\r\n", 4), 4);
	if (!refused) {
		check_int(conn_recv(&c, NULL, &reply, &tag, &e), 0);
		reply_free(reply);
	} else {
		check_int(conn_recv(&c, NULL, &reply, &tag, &e), -1);
		check_int(e.status, DQ_CONFIG);
		CHECK(strstr(e.text, "not the Redis protocol") != NULL);
	}
	conn_close(&c);
	close(fds[1]);
}

/* heard: what the peer gets next is the request number i. */
static bool heard(int fd, int i, size_t len)
{
	static const char head[] = "*1\r\n$65536\r\n";
	char *got = malloc(len);
	bool same = recv(fd, got, len, MSG_WAITALL) == (ssize_t)len &&
		    !memcmp(got, head, strlen(head));

	for (size_t at = strlen(head); same && at < len - 2; at++)
		same = got[at] == 'a' + i % 26;
	free(got);
	return same;
}

/* A peer that answers in time and never has read all: what it has read is forgotten, and what it
 * gets is in order. */
static void slow_reader(void)
{
	enum { AHEAD = 12, REQUESTS = 500, BYTES = 65536 };
	static char text[BYTES];
	const char *argv[] = {text};
	const size_t len[] = {BYTES};
	struct redisReply *reply;
	struct conn c;
	struct err e;
	void *tag;
	int fds[2];

	connected(&c, fds);
	check_int(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < REQUESTS + AHEAD; i++) {
		memset(text, 'a' + i % 26, BYTES);
		check_int(conn_send(&c, 1, argv, len, NULL, &e), 0);
		conn_push(&c);
		if (i < AHEAD)
			continue;
		CHECK(heard(fds[1], i - AHEAD, BYTES + 14));
		check_int(write(fds[1], "+OK\r\n", 5), 5);
		check_int(conn_recv(&c, NULL, &reply, &tag, &e), 0);
		reply_free(reply);
		CHECK(c.out.len > c.out_at);
	}
	CHECK(c.out.cap <= 4 * AHEAD * BYTES);
	conn_close(&c);
	close(fds[1]);
}

int main(void)
{
	misuse();
	slow_reader();
	nested(1, false);
	nested(REPLY_DEPTH, false);
	nested(REPLY_DEPTH + 1, true);
	nested(100, true);
	unasked("+PONG\r\n", DQ_TEMPORARY);
	unasked("+PO", DQ_TEMPORARY);
	unasked("-ERR max number of clients reached\r\n", DQ_TEMPORARY);
	unasked("-NOAUTH Authentication required.\r\n", DQ_AUTH);
	unasked("hello\r\n", DQ_CONFIG);
	unasked("-DQRANGE count\r\n", DQ_TEMPORARY); /* of a call that nobody made */
	return unit_end();
}
