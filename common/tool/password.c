#include "tool/password.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "redis/sock.h"
#include "tool/die.h"
#include "tool/stop.h"

/* read_file takes the first line of the file. */
static void read_file(const char *path, struct url *url)
{
	char shown[200];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	text_shown(shown, sizeof shown, path, strlen(path));
	if (fd < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077))
		warn("%s: password file: others may read it (chmod 600)", shown);
	do
		n = read(fd, url->password, sizeof url->password - 1);
	while (n < 0 && errno == EINTR && !stop_signal());
	close(fd);
	if (n < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, strerror(errno));
	url->password[n] = 0;
	url->password[strcspn(url->password, "\n")] = 0;
	if (strlen(url->password) == 0 || strlen(url->password) == sizeof url->password - 1)
		die(DQ_CONFIG, "%s: password file: %s", shown, n ? "its first line is empty or too long" : "empty");
	url->has_password = true;
}

/* read_line reads from the terminal what ends in a line feed; -1: it is too long, or the end came, or a signal. */
static int read_line(int tty, int stop_fd, char *line, size_t size)
{
	struct err e;
	size_t len = 0;
	ssize_t n;

	for (;;) {
		if (sock_wait(tty, POLLIN, -1, stop_fd, &e) < 0)
			return -1;
		n = read(tty, line + len, 1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return -1;
		if (line[len] == '\n')
			break;
		if (++len == size - 1)
			return -1;
	}
	line[len] = 0;
	return 0;
}

/* ask: echo is on again whatever happens but KILL; the keys of QUIT and SUSPEND, which nobody catches, are none meanwhile. */
static void ask(struct url *url, int stop_fd)
{
	static const char prompt[] = "Password for Redis: ";
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY), failed;
	struct termios was, silent;

	if (tty < 0 || tcgetattr(tty, &was) < 0)
		die(DQ_CONFIG, "--askpass: no terminal to ask on");
	silent = was;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	silent.c_cc[VQUIT] = silent.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(tty, TCSAFLUSH, &silent);
	failed = write(tty, prompt, sizeof prompt - 1) < 0 || read_line(tty, stop_fd, url->password, sizeof url->password) < 0;
	tcsetattr(tty, TCSAFLUSH, &was);
	failed = write(tty, "\n", 1) < 0 || failed;
	close(tty);
	if (stop_signal())
		finish(DQ_STOPPED);
	if (failed || !url->password[0])
		die(DQ_CONFIG, "--askpass: no password was given, or one longer than any");
	url->has_password = true;
}

void password_find(bool ask_for_it, const char *file, int stop_fd, struct url *url)
{
	const char *auth = getenv("REDISCLI_AUTH");

	if (ask_for_it) {
		ask(url, stop_fd);
	} else if (file) {
		read_file(file, url);
	} else if (!url->has_password && auth && auth[0]) {
		if (strlen(auth) >= sizeof url->password)
			die(DQ_CONFIG, "REDISCLI_AUTH: too long");
		memcpy(url->password, auth, strlen(auth) + 1);
		url->has_password = true;
	}
	if (url->has_password) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none); /* a core file would hold it */
	}
}
