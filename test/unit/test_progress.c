#define _XOPEN_SOURCE 700 /* ptsname */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool/diag.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "unit.h"

/* What the terminal behind stderr got, up to and with that text;
 * it comes a little later than it was written. */
static bool shows(int terminal, const char *wanted)
{
	struct pollfd p = {.fd = terminal, .events = POLLIN};
	char text[400];
	size_t len = 0;

	do {
		ssize_t n = poll(&p, 1, 5000) > 0 ?
				    read(terminal, text + len, sizeof text - 1 - len) :
				    0;

		if (n <= 0)
			return false;
		len += (size_t)n;
		text[len] = '\0';
	} while (strstr(text, wanted) == NULL);
	return true;
}

/* As if it had begun five seconds ago. */
static void begin(struct progress *p, int64_t size)
{
	progress_start(p, "put", -1);
	p->started = clock_ms() - 5000;
	p->next = 0;
	p->size = size;
}

static void on_a_terminal(int terminal)
{
	struct progress p;

	begin(&p, 0);
	progress_tick(&p, 100, 0);
	CHECK(shows(terminal, "100 put, "));
	CHECK(p.next > p.started + 5000); /* not so soon again */
	progress_tick(&p, 200, 0);
	progress_end(&p);
	CHECK(shows(terminal, "\r\033[K"));
	begin(&p, 1000);
	progress_tick(&p, 100, 250);
	CHECK(shows(terminal, ", 25%, "));
	warn("a word");
	CHECK(shows(terminal, "\r\033[Kdq: a word")); /* the line is taken away first */
	progress_end(&p);
	begin(&p, 10);
	progress_tick(&p, 100, 250); /* a file that grows */
	progress_end(&p);
	CHECK(shows(terminal, "/s\r\033[K"));
}

/* On the same terminal output takes the line's place, and the line comes back below it. */
static void with_output(int terminal, int side)
{
	int old = dup(STDOUT_FILENO);
	struct progress p;
	struct err e;

	fflush(stdout);
	dup2(side, STDOUT_FILENO);
	begin(&p, 0);
	CHECK(out_write("before\n", 7, &e) == 0);
	CHECK(shows(terminal, "before\r\n"));
	progress_tick(&p, 7, 0);
	CHECK(shows(terminal, "/s"));
	CHECK(out_write("name\n", 5, &e) == 0);
	CHECK(shows(terminal, "\r\033[Kname\r\n\r\033[K7 put, 1/s"));
	progress_end(&p);
	CHECK(out_write("after\n", 6, &e) == 0);
	CHECK(shows(terminal, "\r\033[Kafter\r\n"));
	dup2(old, STDOUT_FILENO);
}

int main(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), old = dup(STDERR_FILENO), side;

	if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0 ||
	    (side = open(ptsname(terminal), O_RDWR | O_NOCTTY)) < 0) {
		puts("no pseudo-terminals here: skipped");
		return 0;
	}
	dup2(side, STDERR_FILENO);
	on_a_terminal(terminal);
	with_output(terminal, side);
	dup2(old, STDERR_FILENO);
	return unit_end();
}
