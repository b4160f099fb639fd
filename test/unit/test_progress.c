#define _XOPEN_SOURCE 700 /* ptsname */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "die.h"
#include "progress.h"
#include "unit.h"

/* What the terminal behind stderr got since the last look. */
static const char *shown(int terminal)
{
	static char text[400];
	ssize_t n = read(terminal, text, sizeof text - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* As if it had begun five seconds ago. */
static void begin(struct progress *p, int64_t size)
{
	progress_start(p, "put", false, -1);
	p->started = clock_ms() - 5000;
	p->next = 0;
	p->size = size;
}

static void on_a_terminal(int terminal)
{
	struct progress p;

	begin(&p, 0);
	progress_tick(&p, 100, 0);
	CHECK(strstr(shown(terminal), "100 put, 1") != NULL || strstr(shown(terminal), "100 put, 2") != NULL);
	progress_tick(&p, 200, 0);
	check_text(shown(terminal), ""); /* not so soon again */
	progress_end(&p);
	check_text(shown(terminal), "\r\033[K");
	begin(&p, 1000);
	progress_tick(&p, 100, 250);
	CHECK(strstr(shown(terminal), ", 25%, 15s left") != NULL);
	warn("a word");
	CHECK(strstr(shown(terminal), "\r\033[Kdq: a word") != NULL); /* the line is taken away first */
	progress_end(&p);
	begin(&p, 10);
	progress_tick(&p, 100, 250); /* a file that grows */
	CHECK(strstr(shown(terminal), "left") == NULL);
	progress_end(&p);
}

static void quiet(int terminal)
{
	struct progress p;

	shown(terminal);
	progress_start(&p, "put", true, -1);
	p.next = 0;
	progress_tick(&p, 1, 0);
	progress_end(&p);
	check_text(shown(terminal), "");
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
	quiet(terminal);
	dup2(old, STDERR_FILENO);
	return unit_end();
}
