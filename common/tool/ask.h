/* ask: a question to whoever sits at the terminal. Beside die the only file that writes stderr, since a prompt is no line. */
#ifndef DQ_ASK_H
#define DQ_ASK_H

/* ask_possible: is standard input a terminal? */
int ask_possible(void);

/* ask_yes prompts and reads one line of standard input: 1 it begins with y or Y, 0 it does not, or there is none; -1 a signal
 * came (stop_fd as in conn.h). */
int ask_yes(int stop_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
