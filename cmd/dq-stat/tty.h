/* tty: the terminal while something is shown on all of it: keys as they are pressed, no echo, no cursor; and as it was before, however that
 * ends. */
#ifndef DQ_TTY_H
#define DQ_TTY_H

#include <stdbool.h>

/* tty_key: others are characters. TTY_GONE: nobody can press any more. */
enum tty_key { TTY_NONE, TTY_UP = 256, TTY_DOWN, TTY_ENTER, TTY_BACK, TTY_GONE };

/* tty_open takes standard output, and standard input where it is a terminal, too. 0, or -1: errno says why. tty_close gives them back;
 * it may be called twice. */
int tty_open(void);
void tty_close(void);

/* tty_fd becomes readable when the size changed, or a signal asks to stop the process (job control). tty_signals then does what they ask
 * for: it stops, until somebody continues. True: draw anew. */
int tty_fd(void);
bool tty_signals(void);

/* tty_keys: where keys come from, or -1. tty_key reads one, without waiting. */
int tty_keys(void);
int tty_key(void);

#endif
