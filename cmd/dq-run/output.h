/* output: the standard output of a command whose last line is its result (dq-run --result): a pipe,
 * from which it goes on to our standard output. Nothing here waits: while our output has no room,
 * it stays in the pipe, and the command waits, as it would without us. */
#ifndef DQ_OUTPUT_H
#define DQ_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "tail.h"

/* as much as a pipe takes in one piece: lines of several commands are not mixed */
#define OUTPUT_PIECE 4096

struct output {
	int fd;       /* read end, non-blocking; -1 = closed, or there is none */
	bool over;    /* the command has ended: only what was there then is passed on */
	size_t left;  /* over: so many bytes of it are in the pipe still */
	size_t len;   /* of piece: read, and not yet written */
	struct tail tail;
	char piece[OUTPUT_PIECE];
};

/* output_start: nothing was read yet. */
void output_start(struct output *o, int fd);

/* output_pass passes on some of what has arrived. If our output fails, it closes the pipe: then the
 * command gets SIGPIPE, or EPIPE. */
void output_pass(struct output *o);

/* output_end: the command has ended. False: some of what it wrote has no room yet: wait
 * (output_poll) and call it again. True: o->tail.text ends with the last line that is not blank;
 * the pipe is open if it may have more. */
bool output_end(struct output *o);

/* output_waits: output_end has returned false. */
static inline bool output_waits(const struct output *o)
{
	return o->over && o->fd >= 0;
}

/* output_drop closes the pipe: what is left is lost. */
void output_drop(struct output *o);

/* output_poll: what to poll, while the pipe is open. */
struct pollfd output_poll(const struct output *o);

#endif
