#include "tool/descriptors.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* what a program reads by itself, whoever started it */
static const struct {
	const char *name;
	enum { ALWAYS, NUMBERS, WITH_ABOVE, FLAGS } how;
} table[] = {
	/* systemd: descriptors from 3 on, for the process LISTEN_PID, which a command is not */
	{"LISTEN_FDS", ALWAYS},
	{"LISTEN_FDNAMES", ALWAYS},
	{"LISTEN_PID", ALWAYS},
	{"LISTEN_PIDFDID", ALWAYS},
	/* Node.js speaks to its parent there, and ends if it should and cannot */
	{"NODE_CHANNEL_FD", NUMBERS},
	{"NODE_CHANNEL_SERIALIZATION_MODE", WITH_ABOVE},
	{"NODE_UNIQUE_ID", WITH_ABOVE},
	/* make, cargo and ninja take and return tokens, which are bytes in a pipe */
	{"MAKEFLAGS", FLAGS},
	{"MFLAGS", FLAGS},
	{"CARGO_MAKEFLAGS", FLAGS},
	/* where to trace: a line there would be a verdict */
	{"BASH_XTRACEFD", NUMBERS},
	{"GIT_TRACE*", NUMBERS},
	{"DEBUG_FD", NUMBERS},
	/* sockets that were opened for the parent */
	{"WAYLAND_SOCKET", NUMBERS},
	{"SERVER_STARTER_PORT", NUMBERS},
};
#define ROWS (sizeof table / sizeof *table)

/* have: are all descriptors in this text those of a command? Ours are closed there. */
static bool have(const char *text, size_t len, int taken)
{
	const char *end = text + len;

	while (text < end) {
		char *next;
		long fd = strtol(text, &next, 10);
		int flags;

		if (next == text || next > end) {
			text++;
			continue;
		}
		text = next;
		flags = fd >= 0 && fd <= 1 << 20 ? fcntl((int)fd, F_GETFD) : -1;
		if (fd == taken || flags < 0 || flags & FD_CLOEXEC)
			return false;
	}
	return true;
}

/* is_path: is it the path of a descriptor, as the shell writes <(...)? Then *at is where its number
 * begins. */
static bool is_path(const char *value, size_t *at)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		*at = strlen(folders[i]);
		if (!strncmp(value, folders[i], *at) && value[*at] &&
		    strspn(value + *at, "0123456789") == strlen(value + *at))
			return true;
	}
	return false;
}

/* without copies flags of make, but leaves those out that share descriptors. It also leaves -j out:
 * without these a bare -j sets no limit. The variables behind -- stay. True: it has left out flags
 * that share descriptors. */
static bool without(char *to, const char *flags, int taken)
{
	static const char *const shared[] = {"--jobserver-auth=", "--jobserver-fds=",
					     "--sync-mutex="};
	bool lacks = false;

	for (size_t len; *flags && strncmp(flags, "-- ", 3); flags += len) {
		bool leave = false;

		len = strcspn(flags, " ");
		for (size_t i = 0; i < 3; i++) {
			size_t n = strlen(shared[i]);
			leave = leave || (!strncmp(flags, shared[i], n) && flags[n] >= '0' &&
					  flags[n] <= '9' && !have(flags + n, len - n, taken));
		}
		lacks = lacks || leave;
		leave = leave || !strncmp(flags, "-j", 2);
		len += strspn(flags + len, " ");
		if (!leave)
			to = (char *)memcpy(to, flags, len) + len;
	}
	strcpy(to, flags);
	return lacks;
}

static int set_flags(const char *name, const char *flags, int taken)
{
	char *left = malloc(strlen(flags) + 1);
	int status = !left ? -1 : without(left, flags, taken) ? setenv(name, left, 1) : 0;

	free(left);
	return status;
}

static bool is_called(const char *var, size_t len, const char *name)
{
	size_t n = strlen(name);

	return name[n - 1] == '*' ? len >= n - 1 && !strncmp(var, name, n - 1) :
				    len == n && !strncmp(var, name, n);
}

/* unset removes the variable, and those that mean nothing without it. */
static int unset(const char *name, size_t row)
{
	while (row + 1 < ROWS && table[row + 1].how == WITH_ABOVE)
		unsetenv(table[++row].name);
	return unsetenv(name);
}

/* mend returns 1 if it has removed variables, else 0; -1: out of memory. */
static int mend(const char *var, int taken)
{
	size_t len = strcspn(var, "="), at, row = 0;
	const char *value = var + len + (var[len] == '=');
	char *name = strndup(var, len);
	int status = name ? 0 : -1;

	while (row < ROWS && !is_called(var, len, table[row].name))
		row++;
	if (name && (is_path(value, &at) ?
			     !have(value + at, strlen(value + at), taken) :
			     row < ROWS && (table[row].how == ALWAYS ||
					    (table[row].how == NUMBERS && value[0] != '/' &&
					     !have(value, strlen(value), taken)))))
		status = unset(name, row < ROWS ? row : ROWS) < 0 ? -1 : 1;
	else if (name && row < ROWS && table[row].how == FLAGS)
		status = set_flags(name, value, taken);
	free(name);
	return status;
}

int descriptors_unset(int taken)
{
	int status;

	for (char **var = environ; var && *var;) {
		status = mend(*var, taken);
		if (status < 0)
			return -1;
		var = status ? environ : var + 1; /* several may be gone */
	}
	return 0;
}
