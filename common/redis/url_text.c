#include "redis/url_text.h"

#include <stdio.h>
#include <string.h>

#include "base/percent.h"

/* The maximal lengths of encoded parts; a longer part ends in "...". */
struct limits {
	size_t user, hosts, rest;
};

/* All parts together stay below URL_TEXT: 18 + 243 + 2 + 290 + 4 + 131 + 12,
 * or 7 + 243 + 2 + 327 + 14. */
static const struct limits for_people = {240, 290, 128};
/* And below URL_BARE: 18 + 768 + 2 + 16 * 270 + 4 + 1 + 387 + 12 + 2 * 24 + 768 + 1536. */
static const struct limits whole = {768, (size_t)URL_HOSTS * 270, 1536};

static void add_number(char *out, const char *before, int n)
{
	char text[24];

	snprintf(text, sizeof text, "%s%d", before, n);
	strcat(out, text);
}

void url_host_shown(const struct url_host *h, char out[URL_HOST_TEXT])
{
	bool ipv6 = strchr(h->name, ':') != NULL;

	strcpy(out, ipv6 ? "[" : "");
	percent_encode(out, h->name, PERCENT_UNRESERVED ":", sizeof h->name + 3);
	add_number(out, ipv6 ? "]:" : ":", h->port);
}

static void write_hosts(const struct url *u, char *out, size_t max)
{
	size_t n = strlen(out), end = n + max;
	char host[URL_HOST_TEXT];

	for (int i = 0; i < u->hosts.count; i++) {
		url_host_shown(&u->hosts.at[i], host);
		if (n + strlen(host) + 1 > end) {
			strcpy(out + n, i > 0 ? ",..." : "...");
			return;
		}
		strcat(strcat(out + n, i > 0 ? "," : ""), host);
		n += strlen(out + n);
	}
}

static void write_query(const struct url_sentinel *s, char *out, size_t max)
{
	if (s->user[0])
		percent_encode(strcat(out, "?sentinel_username="), s->user, PERCENT_UNRESERVED,
			       max);
	if (s->password_file[0]) {
		strcat(out, s->user[0] ? "&" : "?");
		percent_encode(strcat(out, "sentinel_password_file="), s->password_file,
			       PERCENT_UNRESERVED "/", max);
	}
}

/* write_tcp: all: write all hosts of the URL, not only the present one. */
static void write_tcp(const struct url *u, bool all, const struct limits *limits, char *out)
{
	bool sentinels = all && u->sentinel.master[0];

	if (all)
		write_hosts(u, out, limits->hosts);
	else
		url_host_shown(&u->server, out + strlen(out));
	if (sentinels)
		percent_encode(strcat(out, "/"), u->sentinel.master, PERCENT_UNRESERVED,
			       limits->rest);
	add_number(out, "/", u->db);
}

static void write_url(const struct url *u, bool all, const char *user, const char *after_user,
		      const struct limits *limits, char *out)
{
	bool is_unix = u->kind == URL_UNIX;

	strcpy(out, is_unix ? "unix" : u->tls ? "rediss" : "redis");
	strcat(out, all && u->sentinel.master[0] ? "+sentinel://" : "://");
	percent_encode(out, user, PERCENT_UNRESERVED "*", limits->user);
	strcat(out, u->has_user ? after_user : "");
	if (!is_unix) {
		write_tcp(u, all, limits, out);
		return;
	}
	percent_encode(out, u->path, PERCENT_UNRESERVED "/:", 3 * sizeof u->path);
	if (u->db != 0)
		add_number(out, "?db=", u->db);
}

void url_shown(const struct url *u, char out[URL_TEXT])
{
	/* A user without a password may be a password in the wrong place. */
	write_url(u, u->hosts.count > 0 && !u->server.name[0],
		  u->has_user && !u->has_password ? "***" : u->user, "@", &for_people, out);
}

void url_bare(const struct url *u, char out[URL_BARE])
{
	write_url(u, u->hosts.count > 0, u->user, ":@", &whole, out);
	if (u->sentinel.master[0])
		write_query(&u->sentinel, out, whole.rest);
}
