/* reader: whoever reads the output of dq-take.
 * Nothing is taken while it has not read what was written. */
#ifndef DQ_TAKE_READER_H
#define DQ_TAKE_READER_H

#include "taker_state.h"

/* reader_await waits until all is read, or until (clock_us, -1 = never) has come. If the reader
 * takes its time, it gives back what was asked for ahead, and passes its marks on; no other command
 * goes to Redis. If the output has no such reader, or nothing was written, it waits until there is
 * room. 1: now take. 0: the time has come. -1: a signal, or the reader is gone. */
int reader_await(struct taker *t, int64_t until, struct err *e);

/* reader_room waits only until there is room. Returns as reader_await. */
int reader_room(struct taker *t, int64_t until, struct err *e);

/* reader_ahead makes the next calls ahead (stream.h), if all of this round is written at once, or
 * if the reader keeps up: as many as are of use (window.h), but a waiting tool one, which may
 * release a mark. wanted: messages that this round may still take. */
void reader_ahead(struct taker *t, struct queue *q, const struct take_conf *conf, int wanted);

#endif
