/* confirm: a question to the user at the terminal. Beside die the only file that writes stderr, since a prompt is no line. */
#ifndef DQ_CONFIRM_H
#define DQ_CONFIRM_H

/* confirm_possible: is standard input a terminal? */
int confirm_possible(void);

/* confirm_yes prompts and reads one line of standard input: 1 it begins with y or Y, 0 it does not, or there is none; -1 a signal
 * came (stop_fd as in conn.h). */
int confirm_yes(int stop_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
