/* term: the abilities of the terminal on standard output. */
#ifndef DQ_TERM_H
#define DQ_TERM_H

#include <stdbool.h>

#define TERM_RED "\033[31m"
#define TERM_YELLOW "\033[33m"
#define TERM_PLAIN "\033[0m"

/* term_size: its columns and rows; 80 and 24 if it does not report them. rows may be NULL. */
void term_size(int *columns, int *rows);

/* term_dumb: TERM says that the terminal takes no escape sequences. */
bool term_dumb(void);

/* term_colour: it takes them, and NO_COLOR does not forbid colours (no-color.org). */
bool term_colour(void);

#endif
