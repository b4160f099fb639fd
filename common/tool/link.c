#include "tool/link.h"

#include <string.h>

#include "base/clock.h"
#include "redis/session.h"
#include "redis/sock.h"
#include "tool/die.h"
#include "tool/stop.h"

#define PAUSE_MIN 50
#define PAUSE_MAX 2000

void link_down(struct link *l, const char *object, const struct err *e)
{
	char server[URL_TEXT];
	const char *of = e->names_server && object ? object : server;

	url_shown(&l->conn->conf.url, server);
	conn_close(l->conn);
	if (e->status == DQ_STOPPED) {
		l->connect_at = clock_ms() + PAUSE_MIN; /* the signal is to be heard first */
		return;
	}
	if (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE) {
		if (l->status == DQ_DONE && e->names_server)
			warn("%s", e->text);
		else if (l->status == DQ_DONE)
			warn("%s: %s", server, e->text);
		l->status = worse(l->status, e->status);
	} else if (l->pause == 0 && !l->quiet) {
		warn("%s: %s: connecting again", of, e->text);
	}
	l->pause = clock_backoff(l->pause, PAUSE_MIN, PAUSE_MAX);
	l->connect_at = clock_ms() + l->pause;
}

/* reopen is deaf to no signal, whatever exchanges are: nothing is under way yet that could be cut off. */
static int reopen(struct conn *c, struct err *e)
{
	int kept = c->conf.stop_fd, failed;

	c->conf.stop_fd = stop_fd();
	failed = session_open(c, e);
	c->conf.stop_fd = kept;
	return failed;
}

bool link_up(struct link *l)
{
	struct err e;

	if (l->conn->redis)
		return true;
	if (clock_ms() < l->connect_at)
		return false;
	if (reopen(l->conn, &e) < 0) {
		link_down(l, NULL, &e);
		return false;
	}
	return true;
}

int link_again(struct link *l, int64_t deadline, struct err *e)
{
	struct err stopped;

	while (!link_up(l)) {
		int64_t until = deadline >= 0 && deadline < l->connect_at ? deadline : l->connect_at;
		if (l->status != DQ_DONE)
			return err_said(e);
		if (deadline >= 0 && clock_ms() >= deadline)
			return -1;
		if (sock_wait(-1, 0, until, l->conn->conf.stop_fd, &stopped) < 0) {
			*e = stopped;
			return -1;
		}
	}
	return 0;
}

void link_answered(struct link *l)
{
	char shown[URL_TEXT];

	if (l->pause && !l->quiet) {
		url_shown(&l->conn->conf.url, shown);
		warn("%s: connected again", shown);
	}
	l->pause = 0;
}
