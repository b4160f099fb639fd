#include "replace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define MODE 0644 /* the collector is another user */
#define SHOWN 200

static int failed(const char *file, const char *why, struct err *e)
{
	char shown[SHOWN];

	return err_set(e, DQ_IO, "%s: %s", text_shown(shown, sizeof shown, file, strlen(file)), why);
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return fchmod(fd, MODE) < 0 || fsync(fd) < 0 ? -1 : 0;
}

/* fill makes the new file; close is looked at, too: some file systems tell only then that the disk is full. */
static int fill(char *temporary, const char *bytes, size_t len)
{
	int fd = mkstemp(temporary), status, why;

	if (fd < 0)
		return -1;
	status = write_all(fd, bytes, len);
	why = errno;
	if (close(fd) < 0 && status == 0)
		return -1;
	errno = why;
	return status;
}

int replace_file(const char *file, const char *bytes, size_t len, struct err *e)
{
	char temporary[PATH_MAX];
	struct stat st;
	int why;

	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", file) >= (int)sizeof temporary)
		return failed(file, strerror(ENAMETOOLONG), e);
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return failed(file, "not a regular file", e); /* to replace a device would be a disaster */
	if (fill(temporary, bytes, len) == 0 && rename(temporary, file) == 0)
		return 0;
	why = errno;
	unlink(temporary);
	return failed(file, strerror(why), e);
}
