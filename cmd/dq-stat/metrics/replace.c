#include "replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define MODE 0644 /* the collector runs as another user */
#define SHOWN 200

static int failed(const char *file, const char *why, struct err *e)
{
	char shown[SHOWN];

	return err_set(e, DQ_IO, "%s: %s", text_shown(shown, sizeof shown, file, strlen(file)),
		       why);
}

int replace_begin(struct replace *r, const char *file, struct err *e)
{
	struct stat st;

	r->file = file;
	r->fd = -1;
	if (snprintf(r->temporary, sizeof r->temporary, "%s.XXXXXX", file) >=
	    (int)sizeof r->temporary)
		return failed(file, strerror(ENAMETOOLONG), e);
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		/* replacing a device would be a disaster */
		return failed(file, "not a regular file", e);
	r->fd = mkstemp(r->temporary);
	return r->fd < 0 ? failed(file, strerror(errno), e) : 0;
}

int replace_write(struct replace *r, const char *bytes, size_t len, struct err *e)
{
	while (len > 0) {
		ssize_t n = write(r->fd, bytes, len);
		if (n < 0 && errno != EINTR)
			return failed(r->file, strerror(errno), e);
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* replace_end checks close, too: some file systems report a full disk only there. */
int replace_end(struct replace *r, struct err *e)
{
	int status = fchmod(r->fd, MODE) < 0 || fsync(r->fd) < 0 ? -1 : 0, why = errno;

	if (close(r->fd) < 0 && status == 0) {
		status = -1;
		why = errno;
	}
	r->fd = -1;
	if (status == 0 && rename(r->temporary, r->file) == 0)
		return 0;
	why = status < 0 ? why : errno;
	unlink(r->temporary);
	return failed(r->file, strerror(why), e);
}

void replace_give_up(struct replace *r)
{
	if (r->fd < 0)
		return;
	close(r->fd);
	unlink(r->temporary);
	r->fd = -1;
}
