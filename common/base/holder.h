/* holder: who has a lease: HOST:PID, or a name that an operator chose (lua/lib/holder.lua).
 * Pure. */
#ifndef DQ_HOLDER_H
#define DQ_HOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define HOLDER_MAX 100 /* bytes; in lua/lib/constants.lua, too */

/* holder_valid: true if text may be a holder: 1 to HOLDER_MAX printable ASCII characters,
 * without blanks. */
bool holder_valid(const char *text);

/* holder_is: true if holder is wanted, or a process of that host: wanted and a colon are its
 * beginning. release.lua decides likewise. */
bool holder_is(const char *holder, size_t len, const char *wanted);

/* holder_printable replaces all other bytes of text by an underscore. */
void holder_printable(char *text);

#endif
