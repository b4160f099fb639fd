/* tty: the terminal in full-screen use: keys as they are pressed, no echo, no cursor. However the
 * use ends, it restores the terminal. */
#ifndef DQ_TTY_H
#define DQ_TTY_H

#include <stdbool.h>

/* tty_key: other keys are characters. TTY_GONE: the terminal is closed. */
enum tty_key { TTY_NONE, TTY_UP = 256, TTY_DOWN, TTY_ENTER, TTY_BACK, TTY_GONE };

/* tty_open takes standard output, and standard input if it is a terminal.
 * Returns 0, or -1 with errno. */
int tty_open(void);

/* tty_close restores both; it may be called twice. */
void tty_close(void);

/* tty_fd becomes readable when the size has changed,
 * or when a signal asks to stop the process (job control). */
int tty_fd(void);

/* tty_signals stops the process, if tty_fd asks for it, until the user continues it.
 * True: draw the screen again. */
bool tty_signals(void);

/* tty_keys: the descriptor of the keys, or -1. */
int tty_keys(void);

/* tty_key reads one key without waiting. */
int tty_key(void);

#endif
