#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/sock.h"
#include "unit.h"

/* within: ms; -1: without end */
static int open_any(const struct url *u, int64_t within, int stop_fd, struct err *e)
{
	struct sock_addresses all = {.count = 0};
	const struct wait w = {.timeout = within, .stop_fd = stop_fd};
	int fd = sock_open(u, &all, within < 0 ? -1 : clock_ms() + within, 0, &w, e);

	sock_addresses_free(&all);
	return fd;
}

static char dir[] = "/tmp/test_sock.XXXXXX";

/* Instead of the system's: the host is a list of 127.0.0.1's ports, "any" or the address itself for
 * the URL's own. No name is looked up. */
int getaddrinfo(const char *restrict host, const char *restrict port,
		const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
	static struct sockaddr_in addresses[8];
	static struct addrinfo infos[8];
	int n = 0;

	CHECK(hints->ai_socktype == SOCK_STREAM);
	if (!host)
		host = "any"; /* it means the loopback interface */
	if (strcmp(host, "unknown") == 0 || strcmp(host, "localhost") == 0)
		return EAI_NONAME;
	for (const char *s = host; *s != '\0' && n < 8; n++) {
		bool any = strcmp(s, "any") == 0 || strcmp(s, "127.0.0.1") == 0;
		long own = strtol(any ? port : s, NULL, 10);

		addresses[n] = (struct sockaddr_in){.sin_family = AF_INET,
						    .sin_port = htons((uint16_t)own)};
		addresses[n].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		infos[n] = (struct addrinfo){.ai_family = AF_INET,
					     .ai_addr = (struct sockaddr *)&addresses[n],
					     .ai_addrlen = sizeof addresses[n]};
		if (n > 0)
			infos[n - 1].ai_next = &infos[n];
		s += strcspn(s, ",");
		s += *s == ',';
	}
	*list = infos;
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	CHECK(list != NULL);
}

static struct url unix_url(const char *name)
{
	struct url u = { .kind = URL_UNIX };

	snprintf(u.path, sizeof u.path, "%s/%s", dir, name);
	return u;
}

static struct url tcp_url(const char *hosts, int port)
{
	struct url u = { .kind = URL_TCP, .server = { .port = port } };

	snprintf(u.server.name, sizeof u.server.name, "%s", hosts);
	return u;
}

/* backlog -1: bound only, so that connections are refused for certain. */
static int listen_tcp(int backlog, int *port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t size = sizeof addr;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&addr, size) < 0 ||
	    (backlog >= 0 && listen(fd, backlog) < 0) ||
	    getsockname(fd, (struct sockaddr *)&addr, &size) < 0)
		abort();
	*port = ntohs(addr.sin_port);
	return fd;
}

static int listen_unix(const char *name, int backlog)
{
	struct url u = unix_url(name);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(addr.sun_path, u.path, sizeof addr.sun_path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof addr) < 0 || listen(fd, backlog) < 0)
		abort();
	return fd;
}

static int option(int fd, int level, int name)
{
	int value = 0;
	socklen_t size = sizeof value;

	CHECK(getsockopt(fd, level, name, &value, &size) == 0);
	return value != 0;
}

static void opens(struct url u, int64_t within)
{
	struct err e = { 0 };
	int fd = open_any(&u, within, -1, &e);

	check_text(e.text, "");
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK(fcntl(fd, F_GETFL) & O_NONBLOCK);
	check_int(option(fd, SOL_SOCKET, SO_KEEPALIVE), u.kind == URL_TCP);
	if (u.kind == URL_TCP)
		check_int(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	check_int(sock_wait(fd, POLLOUT, clock_ms() + 5000, -1, &e), 1);
	close(fd);
}

/* Returns how long it took. */
static int64_t fails(struct url u, int64_t within, int stop_fd, enum status status,
		     const char *text)
{
	struct err e = { 0 };
	int64_t start = clock_ms();

	check_int(open_any(&u, within, stop_fd, &e), -1);
	check_int(e.status, status);
	check_int(e.fate, FATE_NOT_DONE);
	check_text(e.text, text);
	return clock_ms() - start;
}

static void connects(void)
{
	int port, fd = listen_tcp(5, &port);

	opens(tcp_url("any", port), 5000);
	opens(tcp_url("localhost", port), 5000);
	close(fd);
	fd = listen_unix("live", 5);
	opens(unix_url("live"), 5000);
	close(fd);
	fails(unix_url("live"), 5000, -1, DQ_UNAVAILABLE, "connection refused");
	unlink(unix_url("live").path);
}

static void reasons(void)
{
	int port, fd = listen_tcp(-1, &port);
	struct url u = unix_url("no\n");
	char text[200];

	fails(tcp_url("any", port), 5000, -1, DQ_UNAVAILABLE, "connection refused");
	fails(tcp_url("any", port), -1, -1, DQ_UNAVAILABLE, "connection refused"); /* no deadline */
	snprintf(text, sizeof text, "no such socket: %s/no\\n", dir);
	fails(u, 5000, -1, DQ_UNAVAILABLE, text);
	snprintf(text, sizeof text, "%s", gai_strerror(EAI_NONAME));
	text[0] = (char)(text[0] | 0x20);
	fails(tcp_url("unknown", 1), 5000, -1, DQ_UNAVAILABLE, text);
	close(fd);
}

/* Connects until nobody fits any more; returns how many did. */
static int fill(struct url u, int *fds, int max)
{
	struct err e;
	int n = 0;

	while (n < max && (fds[n] = open_any(&u, 50, -1, &e)) >= 0)
		n++;
	CHECK(n < max);
	return n;
}

/* u is of a server that does not answer. */
static void waits_for(struct url u)
{
	int stop[2];
	int64_t took = fails(u, 300, -1, DQ_UNAVAILABLE, "timed out after 300ms"), start;

	CHECK(took >= 300 && took < 20000);
	fails(u, 0, -1, DQ_UNAVAILABLE, "timed out");
	if (pipe(stop) < 0)
		abort();
	start = clock_ms();
	if (fork() == 0) {
		poll(NULL, 0, 100);
		_exit(write(stop[1], "", 1) != 1);
	}
	fails(u, -1, stop[0], DQ_STOPPED, "stopped");
	took = clock_ms() - start;
	CHECK(took >= 50 && took < 20000);
	wait(NULL);
	close(stop[0]);
	close(stop[1]);
}

/* A dead address must not eat the time of the next. */
static void full_servers(void)
{
	int fds[64], n, port, live, live_port, fd = listen_unix("full", 0);
	char hosts[100];

	n = fill(unix_url("full"), fds, 64);
	waits_for(unix_url("full"));
	CHECK(fails(unix_url("full"), 1002, -1, DQ_UNAVAILABLE, "timed out after 1s") >= 1002);
	while (n > 0)
		close(fds[--n]);
	close(fd);
	unlink(unix_url("full").path);

	fd = listen_tcp(0, &port);
	live = listen_tcp(5, &live_port);
	n = fill(tcp_url("127.0.0.1", port), fds, 64);
	waits_for(tcp_url("127.0.0.1", port));
	snprintf(hosts, sizeof hosts, "%d,%d,%d", port, port, live_port);
	opens(tcp_url(hosts, 1), 1500);
	while (n > 0)
		close(fds[--n]);
	close(fd);
	close(live);
}

static void several_addresses(void)
{
	int dead, live, fd = listen_tcp(-1, &dead), live_fd = listen_tcp(5, &live);
	char hosts[100];

	snprintf(hosts, sizeof hosts, "%d,%d,%d", dead, dead, live);
	opens(tcp_url(hosts, 1), 5000);
	snprintf(hosts, sizeof hosts, "%d,%d", dead, dead);
	fails(tcp_url(hosts, 1), 5000, -1, DQ_UNAVAILABLE, "connection refused");
	close(fd);
	close(live_fd);
}

static void waits_end(void)
{
	int data[2], stop[2];
	struct err e = { 0 };
	int64_t start = clock_ms();

	if (pipe(data) < 0 || pipe(stop) < 0)
		abort();
	check_int(sock_wait(data[0], POLLIN, start + 100, stop[0], &e), 0);
	CHECK(clock_ms() - start >= 100 && clock_ms() - start < 20000);
	check_int(sock_wait(data[0], POLLIN, -5, -1, &e), 0);
	start = clock_ms();
	check_int(sock_wait(-1, 0, start + 50, stop[0], &e), 0);
	CHECK(clock_ms() - start >= 50);
	check_int(sock_wait(data[1], POLLOUT, start, stop[0], &e), 1);
	check_int(sock_wait(data[1], POLLOUT, INT64_MAX, stop[0], &e), 1);
	CHECK(write(stop[1], "", 1) == 1);
	check_int(sock_wait(data[1], POLLOUT, start, stop[0], &e), -1);
	check_int(e.status, DQ_STOPPED);
	check_int(sock_wait(-1, 0, INT64_MAX, stop[0], &e), -1);
	close(data[1]);
	check_int(sock_wait(data[0], POLLIN, -1, -1, &e), 1); /* POLLHUP */
	close(data[0]);
	check_int(sock_wait(data[0], POLLIN, -1, -1, &e), 1); /* POLLNVAL */
}

static volatile sig_atomic_t interrupts;

static void interrupt(int signal)
{
	interrupts += signal == SIGUSR1;
}

static void interruptions_do_not_end_a_wait(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct err e;
	int64_t start;
	pid_t child;

	sigaction(SIGUSR1, &action, NULL);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 8; i++) {
			poll(NULL, 0, 20);
			kill(getppid(), SIGUSR1);
		}
		_exit(0);
	}
	/* on a busy machine the child begins late */
	for (int i = 0; i < 100 && interrupts == 0; i++) {
		start = clock_ms();
		check_int(sock_wait(-1, 0, start + 300, -1, &e), 0);
		CHECK(clock_ms() - start >= 300);
	}
	CHECK(interrupts > 0);
	waitpid(child, NULL, 0);
}

int main(void)
{
	if (mkdtemp(dir) == NULL)
		abort();
	connects();
	reasons();
	several_addresses();
	full_servers();
	waits_end();
	interruptions_do_not_end_a_wait();
	CHECK(rmdir(dir) == 0);
	return unit_end();
}
