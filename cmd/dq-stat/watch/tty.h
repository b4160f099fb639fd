/* tty: the terminal in full-screen use: keys as they are pressed, no echo, no cursor. However the use ends, it restores the terminal. */
#ifndef DQ_TTY_H
#define DQ_TTY_H

#include <stdbool.h>

/* tty_key: other keys are characters. TTY_GONE: the terminal is closed. */
enum tty_key { TTY_NONE, TTY_UP = 256, TTY_DOWN, TTY_ENTER, TTY_BACK, TTY_GONE };

/* tty_open takes standard output, and standard input if it is a terminal. Returns 0, or -1 with errno. tty_close restores both; it may be
 * called twice. */
int tty_open(void);
void tty_close(void);

/* tty_fd becomes readable when the size has changed, or when a signal asks to stop the process (job control). tty_signals then does so: it
 * stops until the user continues it. True: draw the screen again. */
int tty_fd(void);
bool tty_signals(void);

/* tty_keys: the descriptor of the keys, or -1. tty_key reads one key without waiting. */
int tty_keys(void);
int tty_key(void);

#endif
