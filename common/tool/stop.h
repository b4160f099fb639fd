/* stop: signals that ask a tool to end. A pipe makes them visible to poll(2),
 * so a signal interrupts every wait. */
#ifndef DQ_STOP_H
#define DQ_STOP_H

/* stop_catch catches INT, TERM and HUP from now on, unless they are ignored. It returns an fd that
 * is readable after one came. -1: errno has the reason. */
int stop_catch(void);

/* stop_catch_children does the same for SIGCHLD, with another fd;
 * stop_signal() never returns SIGCHLD. */
int stop_catch_children(void);

int stop_fd(void);         /* what stop_catch returned, or -1 */
int stop_signal(void);     /* the first one that came, or 0 */
void stop_note(int signal); /* as if it had come */
/* dies by stop_signal(), with its default action; PID 1 has no default action: then it returns */
void stop_die(void);

#endif
