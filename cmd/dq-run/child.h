/* child: one run of a command: payload on its stdin, its stderr read along, in a process group of its own. Knows no Redis. */
#ifndef DQ_CHILD_H
#define DQ_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

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
	bool unknown;      /* it has ended and its status is unknown: status is that of a KILL, which is no success */
};

/* child_adopt: from now on the orphans of what we start are our children, as they are of PID 1: only this tool may gather them.
 * -1 with errno. child_gather looks for a child, or an orphan, that has ended, and is the only place that does: its pid and status;
 * 0: none now; -1: there are no children. What is gathered has no pid any more: that may be a stranger's at once. */
int child_adopt(void);
pid_t child_gather(int *status);

/* child_start runs argv (by PATH) with that environment; signals have their default actions in it and none of our descriptors but
 * stdout is open. Returns 0, or an errno: what exec said, or pipes that could not be made. input is copied. */
int child_start(struct child *c, char *const argv[], char *const envp[], const char *input, size_t len);

/* child_feed writes what the pipe takes; a command that does not read all of it is no error. */
void child_feed(struct child *c);

/* child_drain reads what is there of its stderr (some of it, if it writes faster than that, and while ready says so: NULL =
 * always) and hands it to each, closing at the end of file. */
void child_drain(struct child *c, void (*each)(const char *bytes, size_t len), bool (*ready)(void));

/* child_ended: child_gather returned its pid. child_unknown: it is gone, though child_gather did not. child_forget: whatever lives
 * of it is no longer ours to signal. */
void child_ended(struct child *c, int status);
void child_unknown(struct child *c);
void child_forget(struct child *c);

/* child_reap: has it ended? Then its pipes are drained and closed. */
bool child_reap(struct child *c, void (*each)(const char *bytes, size_t len));

/* child_leaves: it has ended, but in its process group some still live: what has ended there is to be gathered before. */
bool child_leaves(const struct child *c);

/* child_signal signals its whole process group, as long as the number is surely that group's. */
void child_signal(const struct child *c, int signal);
void child_free(struct child *c);

#endif
