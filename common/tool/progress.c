#include "tool/progress.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool/diag.h"

#define FIRST_MS 1000
#define EVERY_MS 200

static int64_t rest_of(int fd)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && at >= 0 && st.st_size > at)
		return st.st_size - at;
	return 0;
}

void progress_start(struct progress *p, const char *word, int input_fd)
{
	p->word = word;
	p->on = warn_line_possible();
	p->started = clock_ms();
	p->next = p->started + FIRST_MS;
	p->size = p->on ? rest_of(input_fd) : 0;
}

void progress_tick(struct progress *p, int64_t done, int64_t bytes)
{
	char left[48] = "";
	int64_t now, took;

	if (!p->on || (now = clock_ms()) < p->next)
		return;
	took = now - p->started;
	p->next = now + EVERY_MS;
	if (bytes > 0 && bytes <= p->size)
		snprintf(left, sizeof left, ", %d%%, %llds left", (int)(bytes * 100 / p->size),
			 (long long)((double)took / (double)bytes * (double)(p->size - bytes) /
				     1000));
	warn_line("%lld %s, %lld/s%s", (long long)done, p->word, (long long)(done * 1000 / took),
		  left);
}

void progress_end(struct progress *p)
{
	if (p->on)
		warn_line_end();
	p->on = false;
}
