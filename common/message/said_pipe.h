/* said_pipe: the pipe between dq-run and a command, on which the command says how its delivery is
 * to end. A variable of the command tells which pipe it is, and of which delivery: descriptor 3 may
 * be another file by now. */
#ifndef DQ_SAID_PIPE_H
#define DQ_SAID_PIPE_H

#include "base/name.h"

#define SAID_VARIABLE "DQ_VERDICT"
/* the value of that variable: only said_pipe_open reads it */
#define SAID_KEY (2 * NAME_MAX_BYTES + 128)

/* said_key writes the key of a pipe and a receipt. fd: the end that we read.
 * -1: errno has the reason. */
int said_key(char out[SAID_KEY], int fd, const char *queue, const char *id, const char *token);

/* said_pipe_open returns the descriptor on which to write about this receipt: 3; or, if that is not
 * the pipe, a new one, to be closed by the caller. Many programs start others without descriptor 3.
 * -1: the receipt is not that of our command, or dq-run cannot be reached so. */
int said_pipe_open(const char *queue, const char *id, const char *token);

/* said_pipe_own opens our own pipe for writing; fd: the end that we read.
 * -1: errno has the reason. */
int said_pipe_own(int fd);

#endif
