#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/utf8.h"

void err_fill(struct err *e, enum status status, const char *format, ...)
{
	char text[sizeof e->text] = ""; /* apart, because the arguments may point into e->text */
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len > 0)
		text[utf8_cut(text, (size_t)len, sizeof text - 1)] = '\0';
	e->status = status;
	e->fate = FATE_NOT_DONE;
	e->names_server = false;
	memcpy(e->text, text, sizeof text);
}

int err_late(struct err *e, enum status status, int64_t ms)
{
	char age[DURATION_TEXT];

	if (ms <= 0)
		return err_set(e, status, "timed out");
	if (ms >= 1000 && ms < 60000)
		return err_set(e, status, "timed out after %.3gs", (double)ms / 1000);
	duration_age(ms, age);
	return err_set(e, status, "timed out after %s", age);
}
