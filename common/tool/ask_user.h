/* ask_user: asks the user at the terminal. It writes to standard error itself, because a prompt
 * does not end its line. */
#ifndef DQ_ASK_USER_H
#define DQ_ASK_USER_H

/* ask_user_possible: is standard input a terminal? */
int ask_user_possible(void);

/* ask_user_yes prompts and reads one line of standard input. 1: it begins with y or Y. 0: it does
 * not, or there is none. -1: a signal came (stop_fd as in conn.h). */
int ask_user_yes(int stop_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
