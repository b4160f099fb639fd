/* URLs: what is accepted keeps its bounds and is shown without the password, as a URL of the same place; what is refused leaves
 * nothing behind and quotes nothing. */
#include "fuzz.h"
#include "redis/url.h"

#define CANARY "Zanary7" /* no hex digit in front: \x9c and anary7 made one */

static bool is_host(const struct url *u)
{
	return u->kind == URL_TCP ? u->host[0] != '\0' && u->path[0] == '\0' : u->path[0] == '/' && u->host[0] == '\0';
}

/* Shown, it opens the same place. (A user alone is shown as it is not written, and long ones are cut.) */
static void shows(const struct url *u)
{
	char shown[URL_TEXT];
	struct url again;
	struct err e;

	memset(shown, 'x', sizeof shown);
	url_shown(u, shown);
	HOLDS(memchr(shown, '\0', sizeof shown) != NULL);
	HOLDS(fuzz_printable(shown, strlen(shown)));
	if (u->has_user || strstr(shown, "..."))
		return;
	HOLDS(url_parse(shown, &again, &e) == 0);
	HOLDS(again.kind == u->kind && again.tls == u->tls && again.port == u->port && again.db == u->db);
	HOLDS(!strcmp(again.host, u->host) && !strcmp(again.path, u->path) && !again.has_password);
}

static void parses(const char *s)
{
	static const struct url none;
	struct url u;
	struct err e;

	memset(&u, 'x', sizeof u);
	if (url_parse(s, &u, &e) < 0) {
		fuzz_refused(&e, e.status == DQ_CONFIG ? DQ_CONFIG : DQ_USAGE);
		HOLDS(!memcmp(&u, &none, sizeof u));
		HOLDS(strstr(e.text, CANARY) == NULL);
		return;
	}
	HOLDS(is_host(&u) && u.db >= 0);
	HOLDS(u.kind == URL_UNIX || (u.port >= 1 && u.port <= 65535));
	HOLDS(u.has_user == (u.user[0] != '\0') && u.has_password == (u.password[0] != '\0'));
	HOLDS(strlen(u.ignored) < sizeof u.ignored && fuzz_printable(u.ignored, strlen(u.ignored)));
	shows(&u);
}

/* The same with a password in front of the host: no text may hold it. */
static void hides(const char *s)
{
	const char *end = strstr(s, "://");
	char *with, shown[URL_TEXT];
	struct url u;
	struct err e;

	if (end == NULL || strstr(s, CANARY) != NULL)
		return;
	with = malloc(strlen(s) + sizeof CANARY + 2);
	HOLDS(with != NULL);
	sprintf(with, "%.*s:" CANARY "@%s", (int)(end + 3 - s), s, end + 3);
	if (url_parse(with, &u, &e) < 0) {
		HOLDS(strstr(e.text, CANARY) == NULL);
	} else {
		url_shown(&u, shown);
		HOLDS(strstr(shown, CANARY) == NULL);
		HOLDS(u.has_password && strstr(u.ignored, CANARY) == NULL);
	}
	free(with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_text(data, size);

	parses(s);
	hides(s);
	free(s);
	return 0;
}
