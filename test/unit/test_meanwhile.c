/* What is done meanwhile sees a signal during an exchange, or while a connection is opened,
 * and may end both early. */
#include <hiredis.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/conn.h"
#include "redis/reply.h"
#include "redis/sock.h"
#include "unit.h"

#define HOUR 3600000

static char dir[] = "/tmp/test_meanwhile.XXXXXX";

/* limit ends the exchange soon. */
static void limit(struct meanwhile *m)
{
	char byte;

	check_int(read(m->fd, &byte, 1), 1);
	m->until = clock_ms() + 20;
}

/* signalled: a byte is there to be read. */
static struct meanwhile signalled(int fds[2])
{
	if (pipe(fds) < 0 || write(fds[1], "", 1) != 1)
		abort();
	return (struct meanwhile){.fd = fds[0], .ready = limit};
}

static void end(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static void deadlines(void)
{
	struct meanwhile m = {.fd = -1};
	const struct wait w = {.timeout = 1000, .until = 1500, .stop_fd = 7, .meanwhile = &m};

	check_int(wait_deadline(&w, 100), 1100);
	check_int(wait_deadline(&w, 900), 1500);
	m.until = 1200;
	check_int(wait_deadline(&w, 100), 1100);
	check_int(wait_deadline(&w, 900), 1200);
	check_int(wait_limit(&w, -1), 1200);
	check_int(wait_limit(&w, 1300), 1200);
	check_int(wait_limit(&w, 1100), 1100);
	check_int(wait_firm(&w, 10).stop_fd, -1);
	CHECK(wait_firm(&w, 10).meanwhile == &m);
}

/* A peer that never replies. */
static void replies(void)
{
	const char *words[] = {"PING"};
	const size_t lens[] = {4};
	int fds[2], signal[2];
	struct meanwhile m = signalled(signal);
	const struct conn_conf conf = {.client_name = "unit",
				       .wait = {.timeout = HOUR, .stop_fd = -1, .meanwhile = &m}};
	struct redisReply *reply;
	struct conn c;
	struct err e;
	void *tag;

	check_int(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	conn_init(&c, &conf);
	c.redis = redisConnectFd(fds[0]);
	c.redis->flags &= ~REDIS_BLOCK;
	c.limit = reply_limit(c.redis->reader);
	c.greeted = true;
	check_int(conn_send(&c, 1, words, lens, NULL, &e), 0);
	check_int(conn_recv(&c, NULL, &reply, &tag, &e), -1);
	check_int(e.status, DQ_TEMPORARY);
	check_int(e.fate, FATE_UNKNOWN);
	CHECK(!strncmp(e.text, "timed out after ", 16) && !strstr(e.text, "1h"));
	CHECK(!c.redis);
	conn_close(&c);
	close(fds[1]);
	end(signal);
}

/* A server whose backlog is full. */
static void connecting(void)
{
	struct url u = {.kind = URL_UNIX};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fds[64], n = 0, signal[2], fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sock_addresses all = {.count = 0};
	struct wait w = {.stop_fd = -1};
	struct meanwhile m;
	struct err e;

	snprintf(u.path, sizeof u.path, "%s/s", dir);
	strcpy(addr.sun_path, u.path);
	check_int(bind(fd, (const struct sockaddr *)&addr, sizeof addr), 0);
	check_int(listen(fd, 0), 0);
	while (n < 64 && (fds[n] = sock_open(&u, &all, clock_ms() + 50, 0, &w, &e)) >= 0)
		n++;
	m = signalled(signal);
	w.meanwhile = &m;
	check_int(sock_open(&u, &all, clock_ms() + HOUR, 0, &w, &e), -1);
	check_int(e.status, DQ_UNAVAILABLE);
	while (n > 0)
		close(fds[--n]);
	close(fd);
	end(signal);
	check_int(unlink(u.path), 0);
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	deadlines();
	replies();
	connecting();
	check_int(rmdir(dir), 0);
	return unit_end();
}
