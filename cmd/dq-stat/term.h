/* term: what a terminal on standard output can show. */
#ifndef DQ_TERM_H
#define DQ_TERM_H

#include <stdbool.h>

#define TERM_RED "\033[31m"
#define TERM_YELLOW "\033[33m"
#define TERM_PLAIN "\033[0m"

/* term_size: its columns and rows; 80 and 24 where it does not say. rows may be NULL. */
void term_size(int *columns, int *rows);

/* term_dumb: TERM says that it takes no escape sequences. term_colour: neither that, nor does NO_COLOR forbid colours (no-color.org). */
bool term_dumb(void);
bool term_colour(void);

#endif
