#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void term_size(int *columns, int *rows)
{
	struct winsize size;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
		     size.ws_row > 0;

	*columns = known ? size.ws_col : 80;
	if (rows)
		*rows = known ? size.ws_row : 24;
}

bool term_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool term_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !term_dumb() && !(no && *no);
}
