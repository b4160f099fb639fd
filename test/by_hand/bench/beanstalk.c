/* beanstalk SOCKET put N DELAY | take N: a client of beanstalkd that pipelines as far as the
 * protocol allows. put: one thread sends while another reads the replies. take: each write has
 * 1,000 reserves and the deletes of the 1,000 before. Prints seconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1000, PAYLOAD = 100 };

static int fd;
static char in[1 << 16];
static size_t have, at;

static void fail(const char *what)
{
	fprintf(stderr, "beanstalk: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void dial(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		fail("cannot connect");
}

static void send_all(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n <= 0)
			fail("write");
		bytes += n;
		len -= (size_t)n;
	}
}

static void refill(void)
{
	ssize_t n;

	memmove(in, in + at, have - at);
	have -= at;
	at = 0;
	n = read(fd, in + have, sizeof in - have);
	if (n <= 0)
		fail("read");
	have += (size_t)n;
}

/* line returns the next line, without CR LF, valid until the next call. */
static char *line(void)
{
	char *end;

	while (!(end = memchr(in + at, '\n', have - at)))
		refill();
	end[-1] = '\0';
	char *start = in + at;
	at = (size_t)(end + 1 - in);
	return start;
}

static void skip(size_t len)
{
	while (have - at < len)
		refill();
	at += len;
}

static int total, delay;

static void *send_puts(void *unused)
{
	static char bytes[BATCH * (PAYLOAD + 64)];
	char payload[PAYLOAD + 1];

	memset(payload, 'x', PAYLOAD);
	payload[PAYLOAD] = '\0';
	for (int done = 0; done < total; done += BATCH) {
		size_t len = 0;
		for (int i = 0; i < BATCH; i++)
			len += (size_t)snprintf(bytes + len, sizeof bytes - len,
						"put 100 %d 60 %d\r\n%s\r\n", delay, PAYLOAD,
						payload);
		send_all(bytes, len);
	}
	return unused;
}

static void put(void)
{
	pthread_t sender;

	if (pthread_create(&sender, NULL, send_puts, NULL))
		fail("thread");
	for (int i = 0; i < total; i++)
		if (strncmp(line(), "INSERTED", 8))
			fail("not inserted");
	pthread_join(sender, NULL);
}

static void take(void)
{
	static char bytes[BATCH * 64];
	static char ids[BATCH][24];
	int got = 0;

	for (int done = 0; done <= total; done += BATCH) {
		size_t len = 0;
		int wanted = done < total ? BATCH : 0;
		for (int i = 0; i < got; i++)
			len += (size_t)snprintf(bytes + len, sizeof bytes - len, "delete %s\r\n",
						ids[i]);
		for (int i = 0; i < wanted; i++)
			len += (size_t)snprintf(bytes + len, sizeof bytes - len, "reserve\r\n");
		send_all(bytes, len);
		for (int i = 0; i < got; i++)
			if (strcmp(line(), "DELETED"))
				fail("not deleted");
		for (int i = 0; i < wanted; i++) {
			int size;
			if (sscanf(line(), "RESERVED %23s %d", ids[i], &size) != 2)
				fail("not reserved");
			skip((size_t)size + 2);
		}
		got = wanted;
	}
}

int main(int argc, char **argv)
{
	double start;

	if (argc < 4)
		return 64;
	dial(argv[1]);
	total = atoi(argv[3]) / BATCH * BATCH;
	delay = argc > 4 ? atoi(argv[4]) : 0;
	start = now();
	if (!strcmp(argv[2], "put"))
		put();
	else
		take();
	printf("%.6f\n", now() - start);
	return 0;
}
