#define _GNU_SOURCE /* O_PATH */
#include "message/said_pipe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message/said.h"

int said_key(char out[SAID_KEY], int fd, const char *queue, const char *id, const char *token)
{
	struct stat s;

	if (fstat(fd, &s) < 0)
		return -1;
	snprintf(out, SAID_KEY, "%" PRIuMAX ":%" PRIuMAX ":%d:%d:%s/%s@%s", (uintmax_t)s.st_dev,
		 (uintmax_t)s.st_ino, (int)getpid(), fd, queue, id, token);
	return 0;
}

struct key {
	uintmax_t device, inode;
	int pid, fd; /* where its reader has it */
};

/* read_number moves *at behind a number and the colon after it. */
static bool read_number(const char **at, uintmax_t *out)
{
	char *end;

	*out = strtoumax(*at, &end, 10);
	if (end == *at || *end != ':')
		return false;
	*at = end + 1;
	return true;
}

/* key_of reads the variable. False: there is none, or it is about another receipt. */
static bool key_of(struct key *k, const char *queue, const char *id, const char *token)
{
	const char *at = getenv(SAID_VARIABLE);
	char receipt[SAID_KEY];
	uintmax_t pid, fd;

	if (!at || !read_number(&at, &k->device) || !read_number(&at, &k->inode) ||
	    !read_number(&at, &pid) || !read_number(&at, &fd))
		return false;
	k->pid = (int)pid;
	k->fd = (int)fd;
	snprintf(receipt, sizeof receipt, "%s/%s@%s", queue, id, token);
	return !strcmp(at, receipt);
}

static bool is_pipe(const struct key *k, const struct stat *s)
{
	return S_ISFIFO(s->st_mode) && s->st_dev == k->device && s->st_ino == k->inode;
}

int said_pipe_own(int fd)
{
	char path[64];

	/* by our pid it may be another process: /proc may be of another namespace */
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
}

/* find opens the pipe where its reader has it. O_PATH opens nothing: that number may be another
 * file of another process by now. */
static int find(const struct key *k)
{
	char path[64];
	int look, fd = -1;
	struct stat s;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", k->pid, k->fd);
	look = open(path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return -1;
	if (fstat(look, &s) == 0 && is_pipe(k, &s))
		fd = said_pipe_own(look);
	close(look);
	return fd;
}

int said_pipe_open(const char *queue, const char *id, const char *token)
{
	struct stat s;
	struct key k;

	if (!key_of(&k, queue, id, token))
		return -1;
	return fstat(SAID_FD, &s) == 0 && is_pipe(&k, &s) ? SAID_FD : find(&k);
}
