/* names.so: a name server that may stay silent, for one program. For LD_PRELOAD. NAMES is a
 * folder. The file NAMES/HOST has the addresses of HOST; a lookup of a host without such a file
 * waits until there is one. If there is NAMES/most, so many lookups of the process are answered,
 * and further ones wait until it is gone. Each lookup adds its host to NAMES/asked. IP addresses
 * are as ever. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int lookups;

/* read_name reads NAMES/name. -1: there is no such file, or nothing in it yet. */
static int read_name(const char *name, char *word, size_t size)
{
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/%s", getenv("NAMES"), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, word, size - 1);
	if (fd >= 0)
		close(fd);
	if (n < 1)
		return -1;
	word[n] = 0;
	return 0;
}

static void note(const char *host)
{
	char path[4096], line[300];
	int fd;

	snprintf(path, sizeof path, "%s/asked", getenv("NAMES"));
	snprintf(line, sizeof line, "%s\n", host);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		abort();
	close(fd);
}

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* look_up chains the addresses of that text. */
static int look_up(lookup *real, char *text, const char *port, const struct addrinfo *hints,
		   struct addrinfo **list)
{
	char *rest, *word = strtok_r(text, " \n", &rest);
	int error = 0;

	for (*list = NULL; word && !error; word = strtok_r(NULL, " \n", &rest)) {
		struct addrinfo **end = list;
		while (*end)
			end = &(*end)->ai_next;
		error = real(word, port, hints, end);
	}
	return error;
}

int getaddrinfo(const char *restrict host, const char *restrict port,
		const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
	lookup *real = (lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
	char address[100], most[20];
	struct in6_addr any;
	int number;

	if (!host || !getenv("NAMES") || inet_pton(AF_INET, host, &any) == 1 ||
	    inet_pton(AF_INET6, host, &any) == 1)
		return real(host, port, hints, list);
	number = ++lookups;
	note(host);
	while ((read_name("most", most, sizeof most) == 0 && number > atoi(most)) ||
	       read_name(host, address, sizeof address) < 0)
		usleep(5000);
	return look_up(real, address, port, hints, list);
}
