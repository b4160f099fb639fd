#include "redis/url.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/percent.h"

/* Bytes within the URL, which is not NUL-ended there. */
struct span {
	const char *at;
	size_t len;
};

static int usage(struct err *e, const char *why)
{
	return err_set(e, DQ_USAGE, "%s", why);
}

static int too_long(struct err *e, const char *what, size_t len, size_t cap)
{
	return err_set(e, DQ_USAGE, "the %s is %zu bytes long, at most %zu are possible", what, len, cap - 1);
}

static int decode(struct span s, char *dst, size_t cap, const char *what, struct err *e)
{
	size_t len;

	if (percent_decode(s.at, s.len, dst, cap, &len) < 0)
		return err_set(e, DQ_USAGE, "bad %%-escape in the %s: %%01 to %%FF are possible", what);
	return len < cap ? 0 : too_long(e, what, len, cap);
}

/* Not num_parse: its message would quote what may be a password in the wrong place. */
static int parse_number(struct span s, int max)
{
	int n = 0;

	if (s.len == 0 || (s.len > 1 && s.at[0] == '0'))
		return -1;
	for (size_t i = 0; i < s.len; i++) {
		int digit = s.at[i] - '0';

		if (digit < 0 || digit > 9 || n > (max - digit) / 10)
			return -1;
		n = n * 10 + digit;
	}
	return n;
}

static int check_bytes(const char *s, struct err *e)
{
	if (*s == '\0')
		return usage(e, "the URL is empty");
	for (; *s != '\0'; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return usage(e, "a URL cannot hold spaces or control bytes: write them as %XX");
		if (*s == '#')
			return usage(e, "a Redis URL has no #fragment: write a # as %23");
	}
	return 0;
}

static const struct {
	const char *name;
	bool is_unix, tls, reserved;
} schemes[] = {
	{ "redis", false, false, false },
	{ "rediss", false, true, false },
	{ "valkey", false, false, false },
	{ "valkeys", false, true, false },
	{ "unix", true, false, false },
	{ "redis+unix", true, false, false },
	{ "redis+socket", true, false, false },
	{ "redis+sentinel", false, false, true },
	{ "rediss+sentinel", false, true, true },
};

static int parse_scheme(const char **s, struct url *out, struct err *e)
{
	const char *end = strstr(*s, "://");
	size_t len = end == NULL ? 0 : (size_t)(end - *s);

	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (len != strlen(schemes[i].name) || strncasecmp(*s, schemes[i].name, len) != 0)
			continue;
		if (schemes[i].reserved)
			return err_set(e, DQ_CONFIG, "Sentinel URLs are reserved: not supported yet");
		out->kind = schemes[i].is_unix ? URL_UNIX : URL_TCP;
		out->tls = schemes[i].tls;
		*s = end + 3;
		return 0;
	}
	return usage(e, "a Redis URL begins with redis:// rediss:// valkey:// valkeys:// or unix://");
}

/* Reads up to the '@' that ends it; *authority is then what is left of the authority. */
static int parse_userinfo(struct span *authority, struct url *out, struct err *e)
{
	const char *at = memchr(authority->at, '@', authority->len), *colon;
	struct span user = { authority->at, 0 }, password;

	if (at == NULL)
		return 0;
	authority->len -= (size_t)(at + 1 - authority->at);
	authority->at = at + 1;
	if (memchr(authority->at, '@', authority->len) != NULL)
		return usage(e, "more than one @ before the host: write an @ in a password as %40");
	colon = memchr(user.at, ':', (size_t)(at - user.at));
	if (colon == NULL)
		return usage(e, "before the @ belongs user:password@ or, without a user, :password@");
	user.len = (size_t)(colon - user.at);
	password = (struct span){ colon + 1, (size_t)(at - colon - 1) };
	out->has_user = user.len > 0;
	out->has_password = password.len > 0;
	if (decode(user, out->user, sizeof out->user, "user", e) < 0)
		return -1;
	return decode(password, out->password, sizeof out->password, "password", e);
}

static int parse_name(struct span name, bool ipv6, struct url *out, struct err *e)
{
	struct in6_addr address;

	if (name.len == 0 && !ipv6)
		name = (struct span){ "127.0.0.1", 9 };
	if (name.len >= sizeof out->host)
		return too_long(e, "host", name.len, sizeof out->host);
	memcpy(out->host, name.at, name.len);
	if (ipv6 && inet_pton(AF_INET6, out->host, &address) != 1)
		return usage(e, "between [ and ] belongs an IPv6 address");
	if (!ipv6 && strspn(out->host, PERCENT_UNRESERVED) != name.len)
		return usage(e, "the host has a byte that no host name has (an IPv6 address belongs in [ ])");
	return 0;
}

static int parse_port(struct span port, struct url *out, struct err *e)
{
	out->port = 6379;
	if (port.len == 0)
		return 0;
	out->port = port.at[0] == ':' ? parse_number((struct span){ port.at + 1, port.len - 1 }, 65535) : -1;
	return out->port < 1 ? usage(e, "after the host belongs :port, from 1 to 65535") : 0;
}

static int parse_host(struct span host, struct url *out, struct err *e)
{
	bool ipv6 = host.len > 0 && host.at[0] == '[';
	const char *end = memchr(host.at, ipv6 ? ']' : ':', host.len);
	size_t len = end == NULL ? host.len : (size_t)(end - host.at);

	if (ipv6 && end == NULL)
		return usage(e, "a [ without its ] in the host");
	if (parse_name((struct span){ host.at + ipv6, len - ipv6 }, ipv6, out, e) < 0)
		return -1;
	len += ipv6;
	return parse_port((struct span){ host.at + len, host.len - len }, out, e);
}

static int parse_db(struct span db, struct url *out, struct err *e)
{
	out->db = parse_number(db, INT_MAX);
	return out->db < 0 ? usage(e, "the database is a number from 0 to 2147483647, without leading zeros") : 0;
}

#define OTHERS "unknown parameters"

/* Only names that other clients give a meaning are shown: where one belongs a password may have been pasted. */
static void note_ignored(struct span name, struct url *out)
{
	static const char *const known[] = {"client_name", "connect_timeout", "db", "decode_responses", "health_check_interval",
					    "max_connections", "name", "protocol", "socket_connect_timeout", "socket_timeout",
					    "ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_keyfile", "timeout"};
	size_t used = strlen(out->ignored), room = sizeof out->ignored - used;
	const char *shown = OTHERS;

	if (name.len == 0)
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == name.len && !memcmp(known[i], name.at, name.len))
			shown = known[i];
	if (!strcmp(shown, OTHERS) && strstr(out->ignored, OTHERS))
		return;
	if ((size_t)snprintf(out->ignored + used, room, "%s%s", used > 0 ? ", " : "", shown) >= room)
		strcpy(out->ignored + sizeof out->ignored - 4, "...");
}

/* s is at the '?' or at the end. */
static int parse_query(const char *s, struct url *out, struct err *e)
{
	int dbs = 0;

	while (*s != '\0') {
		size_t len = strcspn(++s, "&");

		if (out->kind != URL_UNIX || strncmp(s, "db=", 3) != 0)
			note_ignored((struct span){ s, strcspn(s, "=&") }, out);
		else if (dbs++ > 0)
			return usage(e, "two databases in one URL");
		else if (parse_db((struct span){ s + 3, len - 3 }, out, e) < 0)
			return -1;
		s += len;
	}
	return 0;
}

static int parse_tcp(struct span authority, struct url *out, struct err *e)
{
	const char *s = authority.at + authority.len;
	size_t len = 0;

	if (strchr(s, '@') != NULL)
		return usage(e, "an @ after a / or ?: write / ? @ in a password as %2F %3F %40");
	if (parse_host(authority, out, e) < 0)
		return -1;
	if (*s == '/')
		len = strcspn(++s, "?");
	if (len > 0 && parse_db((struct span){ s, len }, out, e) < 0)
		return -1;
	return parse_query(s + len, out, e);
}

static int parse_unix(struct span authority, struct url *out, struct err *e)
{
	struct span path = { authority.at + authority.len, 0 };

	path.len = strcspn(path.at, "?");
	if (authority.len > 0 || path.len == 0)
		return usage(e, "the socket path must be absolute, as in unix:///run/redis.sock");
	if (decode(path, out->path, sizeof out->path, "socket path", e) < 0)
		return -1;
	return parse_query(path.at + path.len, out, e);
}

static int parse(const char *s, struct url *out, struct err *e)
{
	struct span authority;

	if (check_bytes(s, e) < 0 || parse_scheme(&s, out, e) < 0)
		return -1;
	authority = (struct span){ s, strcspn(s, "/?") };
	if (parse_userinfo(&authority, out, e) < 0)
		return -1;
	return (out->kind == URL_UNIX ? parse_unix : parse_tcp)(authority, out, e);
}

int url_parse(const char *s, struct url *out, struct err *e)
{
	memset(out, 0, sizeof *out);
	if (parse(s, out, e) == 0)
		return 0;
	memset(out, 0, sizeof *out);
	return -1;
}

/* All parts together stay below URL_TEXT: 9 + 244 + 2 + 262 + 17, or 7 + 244 + 327 + 14. */
static void write_url(const struct url *u, const char *user, const char *after_user, char out[URL_TEXT])
{
	bool is_unix = u->kind == URL_UNIX, ipv6 = !is_unix && strchr(u->host, ':') != NULL;
	char end[40] = "";

	strcpy(out, is_unix ? "unix://" : u->tls ? "rediss://" : "redis://");
	percent_encode(out, user, PERCENT_UNRESERVED "*", 240);
	strcat(out, u->has_user ? after_user : "");
	strcat(out, ipv6 ? "[" : "");
	percent_encode(out, is_unix ? u->path : u->host, PERCENT_UNRESERVED "/:", is_unix ? 3 * sizeof u->path : sizeof u->host + 3);
	if (!is_unix)
		snprintf(end, sizeof end, "%s:%d/%d", ipv6 ? "]" : "", u->port, u->db);
	else if (u->db != 0)
		snprintf(end, sizeof end, "?db=%d", u->db);
	strcat(out, end);
}

void url_shown(const struct url *u, char out[URL_TEXT])
{
	/* A user without a password may be a password in the wrong place. */
	write_url(u, u->has_user && !u->has_password ? "***" : u->user, "@", out);
}

void url_bare(const struct url *u, char out[URL_TEXT])
{
	write_url(u, u->user, ":@", out);
}
