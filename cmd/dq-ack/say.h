/* say: tells the dq-run that runs this command how the delivery is to end. */
#ifndef DQ_SAY_H
#define DQ_SAY_H

#include "message/said.h"

/* say_line writes the line to the pipe. -1: DQ_NO (its command has ended), DQ_IO, DQ_USAGE (a delay
 * of more than said_parse takes), DQ_TEMPORARY. */
int say_line(int fd, enum settle_verb verb, const char *amount, const char *reason, struct err *e);

#endif
