/* URLs: what is accepted keeps its bounds and is shown without the password, as a URL of the same
 * place; what is refused leaves nothing behind and quotes nothing. */
#include "fuzz.h"
#include "redis/url_text.h"

#define CANARY "Zanary7" /* no hex digit in front: \x9c and anary7 made one */

static bool is_host(const struct url *u)
{
	if (u->kind == URL_UNIX)
		return u->path[0] == '/' && !u->server.name[0] && !u->hosts.count;
	return !u->path[0] && !u->hosts.count == (u->server.name[0] != '\0') &&
	       (u->hosts.count != 1 || u->sentinel.master[0]);
}

/* Shown, it opens the same place. (A user alone is shown as it is not written,
 * and long ones are cut.) */
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
	HOLDS(again.kind == u->kind && again.tls == u->tls && again.db == u->db &&
	      !again.has_password);
	HOLDS(!memcmp(&again.server, &u->server, sizeof u->server) && !strcmp(again.path, u->path));
	HOLDS(!memcmp(&again.hosts, &u->hosts, sizeof u->hosts) &&
	      !strcmp(again.sentinel.master, u->sentinel.master));
}

/* Bare, it is the same but for the password. */
static void is_bare(const struct url *u)
{
	char bare[URL_BARE];
	struct url again, without = *u;
	struct err e;

	memset(bare, 'x', sizeof bare);
	url_bare(u, bare);
	HOLDS(memchr(bare, '\0', sizeof bare) != NULL);
	HOLDS(fuzz_printable(bare, strlen(bare)));
	HOLDS(url_parse(bare, &again, &e) == 0);
	memset(without.password, 0, sizeof without.password);
	without.has_password = false;
	HOLDS(!memcmp(&again, &without, sizeof again));
}

static void parses(const char *s)
{
	static const struct url none;
	struct url u;
	struct err e;

	memset(&u, 'x', sizeof u);
	if (url_parse(s, &u, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(!memcmp(&u, &none, sizeof u));
		HOLDS(strstr(e.text, CANARY) == NULL);
		return;
	}
	HOLDS(is_host(&u) && u.db >= 0);
	HOLDS(u.kind == URL_UNIX || u.hosts.count ||
	      (u.server.port >= 1 && u.server.port <= 65535));
	HOLDS(u.hosts.count >= 0 && u.hosts.count <= URL_HOSTS);
	for (int i = 0; i < u.hosts.count; i++)
		HOLDS(u.hosts.at[i].name[0] && u.hosts.at[i].port >= 1 &&
		      u.hosts.at[i].port <= 65535);
	HOLDS(u.has_user == (u.user[0] != '\0') && u.has_password == (u.password[0] != '\0'));
	shows(&u);
	is_bare(&u);
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
		HOLDS(u.has_password);
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
