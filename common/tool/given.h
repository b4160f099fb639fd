/* given: the state in which this process was started: descriptors, signals and limits that its
 * parent chose. A tool changes some of it for itself; a command that it starts gets what was
 * given. Environment: tool/environ.h. */
#ifndef DQ_GIVEN_H
#define DQ_GIVEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* given_start notes the state and makes it usable. If fds 0 to 2 are closed, it opens them so that
 * their use fails. It ignores SIGPIPE, because a lost connection must not end the tool, and
 * SIGXFSZ: a write beyond a file size limit fails with EFBIG, as on a full disk. -1: errno has the
 * reason. Call it first. */
int given_start(void);

bool given_pipe_ignored(void); /* did our parent ignore SIGPIPE? */

/* given_hear unblocks a signal for which there is a handler: our parent may have blocked it. */
void given_hear(int signal);

/* given_catch sets the handler, too, unless the signal is ignored. */
void given_catch(int signal, const struct sigaction *sa);

/* given_no_core prevents a core file of this process, which would hold the password. */
void given_no_core(void);

/* given_spawn is posix_spawnp. In the command the descriptor moves[i][0] of ours is moves[i][1], in
 * this order. It is in a process group of its own, and has the signals and limits that were given.
 * But SIGCHLD has its default action: with SIGCHLD ignored, programs cannot wait for their
 * children. Returns 0 or an errno. */
int given_spawn(pid_t *pid, const int (*moves)[2], size_t count, char *const argv[],
		char *const envp[]);

#endif
