#include "says.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message/said_pipe.h"

void says_start(struct says *s, int fd)
{
	s->fd = fd;
	s->kept = -1;
	s->last_len = s->len = 0;
	s->any = s->verdict = s->changed = false;
}

static bool says_done(const char *line, size_t len)
{
	return len >= 4 && !memcmp(line, "done", 4);
}

/* add adds a line to the last verdict, which is cut where it becomes too long. */
static void add(struct says *s, size_t len)
{
	size_t room = SAID_LINE_MAX - s->last_len;

	if (room > 0)
		s->last[s->last_len++] = '\n';
	if (len >= room)
		len = room > 0 ? room - 1 : 0;
	memcpy(s->last + s->last_len, s->line, len);
	s->last_len += len;
}

/* end_line: a line that begins with a verb replaces what was said before; another one belongs to
 * the verdict before it, if there is one. */
static void end_line(struct says *s)
{
	size_t len = s->len - (s->len && s->line[s->len - 1] == '\r');
	bool verdict = said_begins(s->line, len);

	s->len = 0;
	if (s->verdict && !verdict) {
		add(s, len);
	} else if (len > 0) {
		s->changed = s->verdict && says_done(s->last, s->last_len) &&
			     !says_done(s->line, len);
		memcpy(s->last, s->line, len);
		s->last_len = len;
		s->any = true;
		s->verdict = verdict;
	}
}

static void keep(struct says *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n')
			end_line(s);
		else if (s->len < SAID_LINE_MAX)
			s->line[s->len++] = bytes[i];
	}
}

static void close_pipe(struct says *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->kept >= 0)
		close(s->kept);
	s->fd = s->kept = -1;
}

/* closed: the command has closed its descriptor 3, but dq-ack may still say something there: so
 * from now on we are the one that writes, or poll would tell for ever that nobody does. */
static void closed(struct says *s)
{
	s->kept = said_pipe_own(s->fd);
	if (s->kept < 0)
		close_pipe(s);
}

/* drain reads at most so many bytes. */
static void drain(struct says *s, size_t most)
{
	char bytes[4096];

	while (s->fd >= 0 && most > 0) {
		ssize_t n = read(s->fd, bytes, most < sizeof bytes ? most : sizeof bytes);
		if (n > 0) {
			keep(s, bytes, (size_t)n);
			most -= (size_t)n;
		} else if (n == 0) {
			closed(s);
			return;
		} else if (errno != EINTR && errno != EAGAIN) {
			close_pipe(s);
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

#define AT_ONCE (1 << 20) /* as much as a pipe may hold: then others get their turn */

void says_drain(struct says *s)
{
	drain(s, AT_ONCE);
}

void says_end(struct says *s)
{
	int held;

	if (s->fd >= 0 && ioctl(s->fd, FIONREAD, &held) == 0 && held > 0)
		drain(s, (size_t)held);
	/* many programs write no LF: without it the verdict would be lost,
	 * and exit 0 would ack the message */
	if (s->len > 0)
		end_line(s);
	close_pipe(s);
}

void says_forget(struct says *s)
{
	close_pipe(s);
	says_start(s, -1);
}
