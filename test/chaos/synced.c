/* LD_PRELOAD for redis-server: after each fsync or fdatasync appends "LENGTH PATH" to the file
 * $DQ_SYNCED, with the length that the file had before. A power cut keeps that much for certain.
 * Nothing is really synced: a killed process loses nothing that it has written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int note(int fd)
{
	const char *to = getenv("DQ_SYNCED");
	char link[64], path[512], line[600];
	struct stat file;
	ssize_t len;
	int log;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof path);
	if (!to || len < 0 || fstat(fd, &file) < 0)
		return 0;
	len = snprintf(line, sizeof line, "%lld %.*s\n", (long long)file.st_size, (int)len, path);
	log = open(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (log < 0 || write(log, line, (size_t)len) != len)
		abort();
	close(log);
	return 0;
}

int fsync(int fd)
{
	return note(fd);
}

int fdatasync(int fd)
{
	return note(fd);
}
