/* lean: makes the text of a script cheap to run. Redis runs a whole script at each call, and makes
 * each of its functions anew: that takes a tenth of a microsecond a function, and grows with the
 * locals that it names. So in what Redis gets
 * - functions that nothing in the script names are left out: a fragment may define what not
 *   all scripts need;
 * - constants have their values in place: local NAME = VALUE, on a line that is not indented, NAME
 *   in capitals, VALUE a number or a text in single quotes. */
#ifndef EMBED_LEAN_H
#define EMBED_LEAN_H

#include "text.h"

/* lean changes lua, whole lines of Lua as lua/ has them: one statement a line, "end" of a function
 * below its "local" or at the end of that line. Comments may follow. */
void lean(struct text *lua);

#endif
