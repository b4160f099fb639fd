/* prompt: asks for a line on the terminal, without echo. */
#ifndef DQ_PROMPT_H
#define DQ_PROMPT_H

#include <stddef.h>

enum prompt_got {
	PROMPT_LINE,
	/* end of input, a line that is too long, or stop_fd (as in conn.h) became readable */
	PROMPT_NO_LINE,
	PROMPT_NO_TERMINAL
};

/* prompt_line writes question and reads the answer without its line feed. It restores echo in every
 * case but KILL: also after QUIT, and while TSTP stops the tool. After CONT it asks again. */
enum prompt_got prompt_line(const char *question, int stop_fd, char *line, size_t size);

#endif
