/* prompt: asks for a line on the terminal, without echo. */
#ifndef DQ_PROMPT_H
#define DQ_PROMPT_H

#include <stddef.h>

/* prompt_line writes question and reads the answer without its line feed. -1: end of input, a line that is too long, or stop_fd (as in
 * conn.h) became readable. -2: there is no terminal. It restores echo in every case but KILL: also after QUIT, and while TSTP stops the
 * tool. After CONT it asks again. */
int prompt_line(const char *question, int stop_fd, char *line, size_t size);

#endif
