#include "tool/password.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "tool/die.h"
#include "tool/given.h"
#include "tool/prompt.h"
#include "tool/stop.h"

enum { PASSWORD_MAX = sizeof ((struct url *)0)->password };

/* the file of the data's password; NULL: the password came from elsewhere */
static const char *data_file;

static const char *credentials(void)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");

	return dir && dir[0] == '/' ? dir : NULL;
}

/* is_credential: only the service can read a credential of systemd; its access list looks like a
 * right of the group. */
static bool is_credential(const char *path)
{
	const char *dir = credentials();
	size_t len = dir ? strlen(dir) : 0;

	return dir && !strncmp(path, dir, len) && path[len] == '/';
}

const char *password_credential(void)
{
	static char path[PATH_MAX];
	const char *dir = credentials();
	int len = dir ? snprintf(path, sizeof path, "%s/dq.password", dir) : -1;

	return len > 0 && (size_t)len < sizeof path && access(path, F_OK) == 0 ? path : NULL;
}

/* read_line reads the first line of the file. CR LF may end it: no password ends in the CR of
 * a Windows editor. */
static int read_line(int fd, char *password, size_t size, struct err *e)
{
	ssize_t n;
	size_t end;

	do
		n = read(fd, password, size - 1);
	while (n < 0 && errno == EINTR && !stop_signal());
	if (n < 0)
		return err_set(e, DQ_CONFIG, "%s", strerror(errno));
	password[n] = 0;
	end = strcspn(password, "\n");
	password[end - (end > 0 && password[end] && password[end - 1] == '\r')] = 0;
	if (strlen(password) == 0 || strlen(password) == size - 1)
		return err_set(e, DQ_CONFIG, "%s",
			       n ? "its first line is empty or too long" : "empty");
	return 0;
}

/* is_exposed: others may read the file, and that seems to be a mistake. All users of a container
 * are meant to read its secrets (Docker, Kubernetes): these are on a read-only mount, or belong to
 * root, and nobody may write them. */
static bool is_exposed(const char *path, int fd)
{
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 077) ||
	    is_credential(path))
		return false;
	if (st.st_uid == 0 && !(st.st_mode & 0333))
		return false;
	return fstatvfs(fd, &fs) < 0 || !(fs.f_flag & ST_RDONLY);
}

static void read_file(const char *path, char *password, size_t size)
{
	char shown[200];
	struct err e;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text_shown(shown, sizeof shown, path, strlen(path));
	if (fd < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, strerror(errno));
	if (is_exposed(path, fd))
		warn("%s: password file: others may read it (chmod 600)", shown);
	if (read_line(fd, password, size, &e) < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, e.text);
	close(fd);
}

/* read_again returns true if the file has another password now.
 * It skips pipes, which would block. */
static bool read_again(const char *path, char *password, size_t size)
{
	char again[PASSWORD_MAX];
	struct stat st;
	struct err e;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool another = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		       read_line(fd, again, size, &e) == 0 && strcmp(again, password) != 0;

	if (fd >= 0)
		close(fd);
	if (another)
		strcpy(password, again);
	return another;
}

/* read_env returns true if the variable is set. */
static bool read_env(const char *name, char *password, size_t size)
{
	const char *value = getenv(name);

	if (!value || !value[0])
		return false;
	if (strlen(value) >= size)
		die(DQ_CONFIG, "%s: too long", name);
	memcpy(password, value, strlen(value) + 1);
	return true;
}

/* find_sentinel makes the file name absolute, because commands that get the URL may work
 * in another directory. */
static void find_sentinel(struct url_sentinel *s)
{
	char *path;

	if (!s->master[0])
		return;
	if (!s->password_file[0]) {
		read_env("DQ_SENTINEL_PASSWORD", s->password, sizeof s->password);
		return;
	}
	read_file(s->password_file, s->password, sizeof s->password);
	path = realpath(s->password_file, NULL);
	if (!path) /* a pipe, which was read */
		s->password_file[0] = '\0';
	else if (strlen(path) < sizeof s->password_file)
		strcpy(s->password_file, path);
	free(path);
}

static void ask(struct url *url, int stop_fd)
{
	enum prompt_got got = prompt_line("Password for Redis: ", stop_fd, url->password,
					  sizeof url->password);

	if (got == PROMPT_NO_TERMINAL)
		die(DQ_CONFIG, "--askpass: there is no terminal");
	if (stop_signal())
		finish(DQ_STOPPED);
	if (got != PROMPT_LINE || !url->password[0])
		die(DQ_CONFIG, "--askpass: no password was given, or it is too long");
	url->has_password = true;
}

void password_find(bool ask_for_it, const char *file, int stop_fd, struct url *url)
{
	if (ask_for_it) {
		given_no_core();
		ask(url, stop_fd);
	} else if (file) {
		data_file = file;
		read_file(file, url->password, sizeof url->password);
		url->has_password = true;
	} else if (!url->has_password) {
		url->has_password = read_env("REDISCLI_AUTH", url->password, sizeof url->password);
	}
	find_sentinel(&url->sentinel);
	if (url->has_password || url->sentinel.password[0])
		given_no_core();
}

bool password_again(struct url *url)
{
	struct url_sentinel *s = &url->sentinel;
	bool data = data_file && read_again(data_file, url->password, sizeof url->password);
	bool sentinel = s->password_file[0] &&
			read_again(s->password_file, s->password, sizeof s->password);

	return data || sentinel;
}
