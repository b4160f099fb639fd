#include "redis/tls.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/sock.h"

#define READS_MAX 64 /* steps of one tls_read: the caller must check its deadline in between */

struct tls {
	const struct tls_ops *ops;
	void *session;
	short read_waits, write_waits; /* the POLLIN and POLLOUT that each needs */
	bool refused;
	bool over;                     /* for reading: last and error are final */
	ssize_t last;
	int error;
	char why[TLS_WHY_MAX];
};

#ifdef DQ_TLS

bool tls_built(void)
{
	return true;
}

/* load opens the library at DIR/NAME; it refuses one of another version. */
static const struct tls_ops *load(const char *dir, const char *name)
{
	char path[PATH_MAX];
	const struct tls_ops *ops;
	void *library;

	if (snprintf(path, sizeof path, "%s%s", dir, name) >= (int)sizeof path)
		return NULL;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ops = library ? dlsym(library, TLS_SYMBOL) : NULL;
	if (library && (!ops || strcmp(ops->version, DQ_VERSION) != 0)) {
		dlclose(library);
		return NULL;
	}
	return ops;
}

#ifndef DQ_LIBDIR
#define DQ_LIBDIR "/usr/local/lib"
#endif

/* find searches the folder of the tool, as after a build; the installed place relative to it; and
 * LIBDIR of the build. */
static const struct tls_ops *find(struct err *e)
{
	static const struct tls_ops *found;
	char dir[PATH_MAX - 40];
	ssize_t len = found ? -1 : readlink("/proc/self/exe", dir, sizeof dir - 1);
	char shown[300];
	const char *why;
	char *slash;

	dir[len > 0 ? len : 0] = 0;
	slash = strrchr(dir, '/');
	if (slash) {
		*slash = 0;
		found = load(dir, "/tls.so");
		found = found ? found : load(dir, "/../lib/dq/tls.so");
	}
	found = found ? found : load(DQ_LIBDIR, "/dq/tls.so");
	if (found)
		return found;
	why = dlerror();
	why = why ? why : DQ_LIBDIR "/dq/tls.so";
	err_set(e, DQ_CONFIG, "TLS: its library of version %s cannot be loaded: %.250s", DQ_VERSION,
		text_shown(shown, sizeof shown, why, strlen(why)));
	return NULL;
}

#else

bool tls_built(void)
{
	return false;
}

static const struct tls_ops *find(struct err *e)
{
	err_set(e, DQ_CONFIG,
		"TLS is not built in; a tunnel by socat or stunnel gives a unix socket "
		"(dq-recipes(7), TLS)");
	return NULL;
}

#endif

int tls_load(struct err *e)
{
	return find(e) ? 0 : -1;
}

/* greet does the handshake. A server that sends without end does not hold it. */
static int greet(struct tls *t, int fd, const struct wait *wait, struct err *e)
{
	for (;;) {
		enum tls_state state = t->ops->greet(t->session, t->why);
		int ready;

		if (state == TLS_DONE)
			return 0;
		if (state == TLS_REFUSED || state == TLS_BROKEN)
			return err_set(e, DQ_CONFIG, "TLS: %s", t->why);
		if (state == TLS_LOST)
			return err_set(e, DQ_UNAVAILABLE, "TLS: %s",
				       errno ? strerror(errno) :
					       "connection closed by the server; perhaps this "
					       "port has no TLS");
		ready = sock_wait_for(fd, state == TLS_WANTS_WRITE ? POLLOUT : POLLIN, wait->until,
				      wait, e);
		if (ready < 0)
			return -1;
		if (ready == 0 || clock_ms() > wait->until)
			return err_set(e, DQ_UNAVAILABLE,
				       "TLS: timed out; perhaps this port has no TLS");
	}
}

struct tls *tls_open(int fd, const char *host, const struct tls_conf *conf, const struct wait *wait,
		     struct err *e)
{
	const struct tls_ops *ops = find(e);
	struct tls *t = ops ? calloc(1, sizeof *t) : NULL;
	char shown[2 * TLS_WHY_MAX];

	if (ops && !t)
		err_memory(e);
	if (!t)
		return NULL;
	t->ops = ops;
	t->read_waits = POLLIN;
	t->write_waits = POLLOUT;
	t->session = ops->start(fd, host, conf, t->why);
	if (!t->session && t->why[0])
		/* the text names files */
		err_set(e, DQ_CONFIG, "TLS: %s",
			text_shown(shown, sizeof shown, t->why, strlen(t->why)));
	else if (!t->session)
		err_memory(e);
	if (t->session && greet(t, fd, wait, e) == 0)
		return t;
	tls_close(t);
	return NULL;
}

/* result converts the result of one step to that of recv and send. */
static ssize_t result(struct tls *t, enum tls_state state, size_t n)
{
	switch (state) {
	case TLS_DONE:
		return (ssize_t)n;
	case TLS_WANTS_READ:
	case TLS_WANTS_WRITE:
		errno = EAGAIN;
		return -1;
	case TLS_LOST:
		return errno ? -1 : 0;
	case TLS_REFUSED:
	case TLS_BROKEN:
		t->refused = state == TLS_REFUSED;
		break;
	}
	errno = EPROTO;
	return -1;
}

/* end: after a failure OpenSSL must not be called again, and would not repeat the reason.
 * The next tls_read reports it. */
static void end(struct tls *t, ssize_t last)
{
	t->over = true;
	t->last = last;
	t->error = errno;
}

ssize_t tls_read(struct tls *t, void *bytes, size_t size)
{
	size_t got = 0, n = 0;
	ssize_t last = 0;

	if (t->over) {
		errno = t->error;
		return t->last;
	}
	for (int i = 0; i < READS_MAX && got + TLS_RECORD <= size; i++) {
		enum tls_state state = t->ops->read(t->session, (char *)bytes + got, TLS_RECORD, &n,
						    t->why);

		t->read_waits = state == TLS_WANTS_WRITE ? POLLOUT : POLLIN;
		last = result(t, state, n);
		if (last <= 0)
			break;
		got += (size_t)last;
	}
	if (last == 0 || (last < 0 && errno != EAGAIN))
		end(t, last);
	return got ? (ssize_t)got : last;
}

ssize_t tls_write(struct tls *t, const void *bytes, size_t size)
{
	size_t n = 0;
	enum tls_state state = t->ops->write(t->session, bytes, size, &n, t->why);
	ssize_t done = result(t, state, n);

	t->write_waits = state == TLS_WANTS_READ ? POLLIN : POLLOUT;
	if (state != TLS_WANTS_WRITE)
		t->read_waits = POLLIN; /* it has written all that it had to */
	if (done == 0) {
		errno = EPIPE;
		return -1;
	}
	return done;
}

short tls_events(const struct tls *t, bool writing)
{
	return (short)(t->read_waits | (writing ? t->write_waits : 0));
}

bool tls_refused(const struct tls *t)
{
	return t->refused;
}

const char *tls_why(const struct tls *t)
{
	return t->why;
}

void tls_close(struct tls *t)
{
	if (!t)
		return;
	if (t->session)
		t->ops->close(t->session);
	free(t);
}
