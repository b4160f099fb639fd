#include "tool/die.h"

#include <stdarg.h>
#include <stdlib.h>

#include "tool/out.h"
#include "tool/stop.h"

void die(enum status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
	finish(status);
}

void die_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
	warn("try '%s --help'", diag_tool_name());
	finish(DQ_USAGE);
}

enum status worse(enum status a, enum status b)
{
	return a > b ? a : b;
}

void finish(int status)
{
	struct err e;

	warn_line_end();
	if (out_flush(&e) < 0) {
		int failed = (int)out_failed(&e);
		if (failed > status)
			status = failed;
	}
	if (!stop_signal())
		exit(status);
	stop_die();
	exit(128 + stop_signal()); /* as PID 1: the kernel ignores the default action */
}
