/* stop: signals that ask a tool to end. A pipe makes them visible to poll(2), so that no wait is deaf to them. */
#ifndef DQ_STOP_H
#define DQ_STOP_H

/* stop_start readies the process: fds 0-2 that are closed become ones that fail when used, SIGPIPE is ignored (a dead
 * connection must not kill; a dead reader of stdout is stop_note'd instead). -1 with errno if that cannot be. */
int stop_start(void);

/* stop_catch catches INT, TERM and HUP (unless ignored) from now on and returns an fd that becomes readable when one came;
 * -1 when it could not be made, errno says why. */
int stop_catch(void);

/* stop_catch_children does so for SIGCHLD, with an fd of its own; stop_signal() is not concerned. */
int stop_catch_children(void);

int stop_fd(void);         /* what stop_catch returned, or -1 */
int stop_signal(void);     /* the first one that came, or 0 */
void stop_note(int signal); /* as if it had come */
int stop_pipe_ignored(void); /* was SIGPIPE ignored when we started? */
void stop_die(void);       /* die by stop_signal(), with its default action; PID 1 has none: it returns */

#endif
