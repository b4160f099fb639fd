/* pinger SOCKET: a PING each millisecond until stdin ends, then "count p50 p99 max" in us. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 22 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static int dial(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	return connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ? -1 : fd;
}

static double ping(int fd)
{
	double start = now_us();
	char answer[16];
	ssize_t len = 0, n;

	if (write(fd, "PING\r\n", 6) != 6)
		return -1;
	while (len < 7 && (n = read(fd, answer + len, sizeof answer - (size_t)len)) > 0)
		len += n;
	return len == 7 ? now_us() - start : -1;
}

int main(int argc, char **argv)
{
	float *times = malloc(MOST * sizeof *times);
	int fd = argc == 2 ? dial(argv[1]) : -1, n = 0;
	struct pollfd in = {.fd = 0, .events = POLLIN};

	if (fd < 0 || !times)
		return 1;
	while (n < MOST && poll(&in, 1, 1) == 0) {
		double us = ping(fd);
		if (us < 0)
			return 1;
		times[n++] = (float)us;
	}
	if (n == 0)
		return 1;
	qsort(times, (size_t)n, sizeof *times, by_size);
	printf("%d\t%.0f\t%.0f\t%.0f\n", n, (double)times[n / 2],
	       (double)times[(size_t)n * 99 / 100], (double)times[n - 1]);
	return 0;
}
