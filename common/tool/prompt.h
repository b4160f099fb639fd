/* prompt: asks for a line on the terminal, without echo. */
#ifndef DQ_PROMPT_H
#define DQ_PROMPT_H

#include <stddef.h>

/* prompt_line writes question and reads the answer without its line feed. -1: the end of input came, the line is too long, or stop_fd (as in
 * conn.h) became readable. -2: there is no terminal. Echo is on again whatever happens but KILL: also while the tool is stopped by TSTP,
 * after which it asks again, and after QUIT. */
int prompt_line(const char *question, int stop_fd, char *line, size_t size);

#endif
