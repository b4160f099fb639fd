/* child: one run of a command: payload on its stdin, its stderr read along, in a process group of its own. Knows no Redis. */
#ifndef DQ_CHILD_H
#define DQ_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "buf.h"

#define CHILD_LINE_MAX 1000

struct child {
	pid_t pid;         /* 0 = it is gathered, or never was */
	pid_t group;       /* its process group, which may outlive it */
	int in;            /* write end of its stdin, non-blocking; -1 = closed */
	int err;           /* read end of its stderr, non-blocking; -1 = closed */
	struct buf input;  /* what it is fed, and how much of it the pipe has taken */
	size_t fed;
	char last[CHILD_LINE_MAX + 1]; /* last line of stderr with anything in it */
	size_t last_len;
	char line[CHILD_LINE_MAX];     /* the line that is coming in */
	size_t line_len;
	int status;        /* as waitpid gives it, once child_reap said so */
};

/* child_start runs argv (by PATH) with that environment; signals have their default actions in it and none of our descriptors but
 * stdout is open. Returns 0, or an errno: what exec said, or pipes that could not be made. input is copied. */
int child_start(struct child *c, char *const argv[], char *const envp[], const char *input, size_t len);

/* child_feed writes what the pipe takes; a command that does not read all of it is no error. */
void child_feed(struct child *c);

/* child_drain reads what is there of its stderr (some of it, if it writes faster than that, and while ready says so: NULL =
 * always) and hands it to each, closing at the end of file. */
void child_drain(struct child *c, void (*each)(const char *bytes, size_t len), bool (*ready)(void));

/* child_reap: has it ended? (Looks, does not wait.) Then status is set, its pipes are drained and closed. */
bool child_reap(struct child *c, void (*each)(const char *bytes, size_t len));

/* child_leaves: it has ended, but not all of its process group has. */
bool child_leaves(const struct child *c);

/* child_signal signals its whole process group. */
void child_signal(const struct child *c, int signal);
void child_free(struct child *c);

#endif
