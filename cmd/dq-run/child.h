/* child: one run of a command in a process group of its own: has the payload as its stdin; we read
 * its stderr and its descriptor 3. It does not use Redis. */
#ifndef DQ_CHILD_H
#define DQ_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "output.h"
#include "payload.h"
#include "says.h"
#include "tail.h"

struct child {
	pid_t pid;         /* 0 = gathered, or never started */
	pid_t group;       /* its process group, which may outlive it */
	struct payload payload; /* its stdin */
	int err;           /* read end of its stderr, non-blocking; -1 = closed */
	int status;        /* as from waitpid, after child_reap has returned true */
	bool unknown;      /* it has ended, but its status is unknown: status is that of a KILL,
	                    * which is no success */
	struct says says;  /* its descriptor 3 */
	struct tail tail;  /* of stderr */
	struct output out; /* its stdout, if we read it */
};

/* child_clear: it was never started. The large buffers are not touched: a worker may start
 * thousands a second. */
void child_clear(struct child *c);

/* child_adopt: from now on orphans of the commands are children of this tool, as they are of PID
 * 1: only this tool may gather them. Returns -1 with errno. */
int child_adopt(void);

/* child_gather is the only function that gathers. It returns the pid and status of a child or
 * orphan that has ended; 0: none has; -1: there are no children. After that the pid may belong to a
 * foreign process at once. */
pid_t child_gather(int *status);

/* child_start runs argv (by PATH) with the environment envp, with the signals and limits that we
 * were given (tool/given.h), and with no descriptor of ours open but stdout; reads_output: a pipe
 * to us instead (output.h). says is its descriptor 3 (child_pipe). Returns 0, or an errno of exec
 * or of making the pipes. If the payload exceeds a file size limit, it starts nothing and returns
 * 0: then the child has ended already, with the exit status 1 and that reason. input is borrowed.
 * It closes both ends of says, at once or when the child has ended. */
int child_start(struct child *c, char *const argv[], char *const envp[], const int says[2],
		bool reads_output, const char *input, size_t len);

/* child_pipe makes a pipe that no other child inherits. Our end, which reads, does not block. 0, or
 * an errno: then both are closed, -1. */
int child_pipe(int fds[2]);

/* child_drain reads what has arrived on stderr and passes it to each; at the end of file it closes
 * the pipe. It reads a bounded amount, and only while ready returns true (NULL: always). */
void child_drain(struct child *c, void (*each)(const char *bytes, size_t len), bool (*ready)(void));

/* child_pass does that with a pipe that another has taken. tail may be NULL. */
void child_pass(int *err, struct tail *tail, void (*each)(const char *bytes, size_t len),
		bool (*ready)(void));

/* child_ended: child_gather has returned its pid. */
void child_ended(struct child *c, int status);

/* child_unknown: the child has ended, but child_gather did not return it. */
void child_unknown(struct child *c);

/* child_forget: from now on no process of its group may get a signal, and what it said does not
 * count: it has not ended. */
void child_forget(struct child *c);

/* child_reap: has it ended, and has our output taken what it wrote? Then it drains the pipes, and
 * closes descriptor 3. Other processes may still hold out and err: take these, or child_free closes
 * them. */
bool child_reap(struct child *c, void (*each)(const char *bytes, size_t len));

/* child_leaves: it has ended, but processes of its group are alive.
 * Call child_gather until it returns 0 before. */
bool child_leaves(const struct child *c);

/* child_signal signals the whole process group,
 * as long as the number certainly means that group. */
void child_signal(const struct child *c, int signal);
void child_free(struct child *c);

#endif
