#include "tool/reconnect.h"

#include "base/clock.h"
#include "base/duration.h"
#include "redis/url_text.h"
#include "tool/die.h"
#include "tool/stop.h"

void reconnect_report(const struct session *s, enum session_event event, const char *object,
		      const struct err *e)
{
	char server[URL_TEXT];

	url_shown(&s->conn->conf.url, server);
	switch (event) {
	case SESSION_LOST:
		if (e->names_server && !object)
			warn("%s: connecting again", e->text);
		else
			warn("%s: %s: connecting again", e->names_server ? object : server,
			     e->text);
		break;
	case SESSION_BACK:
		warn("%s: connected again", server);
		break;
	case SESSION_OVER:
		if (e->names_server)
			warn("%s", e->text);
		else
			warn("%s: %s", server, e->text);
		break;
	case SESSION_MOVING:
		warn("%s: %s: its slot is being moved: trying again", object, e->text);
		break;
	case SESSION_MOVED:
		warn("%s: its slot was moved: served again", object);
		break;
	}
}

void reconnect_tries(const struct patience *p, const struct err *e)
{
	char server[URL_TEXT], length[DURATION_TEXT];

	url_shown(&p->conf->url, server);
	duration_exact(p->conf->retry_for > 0 ? p->conf->retry_for : p->conf->wait.timeout, length);
	if (!e)
		warn("%s: answers again", server);
	else if (e->names_server)
		warn("%s: trying again for %s", e->text, length);
	else
		warn("%s: %s: trying again for %s", server, e->text, length);
}

bool reconnect_up(struct exchange *x, const struct wait *wait)
{
	struct wait opening = *wait;
	struct err e;

	if (!x->nodes.root.conn.redis && wait->until && clock_ms() >= wait->until)
		return false; /* no time is left to open it */
	opening.stop_fd = stop_fd();
	opening.meanwhile = NULL;
	return session_up(x->session, &opening, &e) > 0;
}
