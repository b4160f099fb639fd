#include "redis/url.h"

#include <string.h>
#include <strings.h>

#include "base/percent.h"

/* Bytes within the URL, without a NUL. */
struct span {
	const char *at;
	size_t len;
};

static int usage(struct err *e, const char *why)
{
	return err_set(e, DQ_USAGE, "%s", why);
}

static int decode(struct span s, char *dst, size_t cap, const char *what, struct err *e)
{
	return percent_text(s.at, s.len, dst, cap, what, e);
}

static int check_bytes(const char *s, struct err *e)
{
	if (*s == '\0')
		return usage(e, "the URL is empty");
	for (; *s != '\0'; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return usage(e,
				     "a URL cannot hold spaces or control bytes: "
				     "write them as %XX");
		if (*s == '#')
			return usage(e, "a Redis URL has no #fragment: write a # as %23");
	}
	return 0;
}

static const struct scheme {
	const char *name;
	bool is_unix, tls, sentinel;
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

static const struct scheme *parse_scheme(const char **s, struct url *out, struct err *e)
{
	const char *end = strstr(*s, "://");
	size_t len = end == NULL ? 0 : (size_t)(end - *s);

	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (len != strlen(schemes[i].name) || strncasecmp(*s, schemes[i].name, len) != 0)
			continue;
		out->kind = schemes[i].is_unix ? URL_UNIX : URL_TCP;
		out->tls = schemes[i].tls;
		*s = end + 3;
		return &schemes[i];
	}
	usage(e,
	      "a Redis URL begins with redis:// rediss:// valkey:// valkeys:// redis+sentinel:// "
	      "rediss+sentinel:// or unix://");
	return NULL;
}

/* parse_userinfo reads up to the '@'; *authority is then the rest of the authority. */
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
		return usage(e,
			     "before the @ belongs user:password@, :password@ or, with a password "
			     "file, user:@");
	user.len = (size_t)(colon - user.at);
	password = (struct span){ colon + 1, (size_t)(at - colon - 1) };
	out->has_user = user.len > 0;
	out->has_password = password.len > 0;
	if (decode(user, out->user, sizeof out->user, "user", e) < 0)
		return -1;
	return decode(password, out->password, sizeof out->password, "password", e);
}

/* parse_master reads the first segment of the path and moves *s behind it. */
static int parse_master(const char **s, struct url_sentinel *out, struct err *e)
{
	struct span name = { *s + (**s == '/'), 0 };

	name.len = strcspn(name.at, "/?");
	if (name.len == 0)
		return usage(e, "after the Sentinels belongs /MASTER, the name of what they watch");
	if (decode(name, out->master, sizeof out->master, "master's name", e) < 0)
		return -1;
	for (const char *byte = out->master; *byte; byte++)
		if (*byte < ' ' || *byte > '~')
			return usage(e, "the master's name has a byte that is not printable");
	*s = name.at + name.len;
	return 0;
}

static int parse_hosts(struct span list, bool sentinel, struct url *out, struct err *e)
{
	if (sentinel)
		return url_hosts_parse(list.at, list.len, 26379, &out->hosts, e);
	if (memchr(list.at, ',', list.len))
		return url_hosts_parse(list.at, list.len, 6379, &out->hosts, e);
	return url_host_parse(list.at, list.len, 6379, &out->server, e);
}

/* parse_rest parses the database of the path, which may be empty, and the parameters behind it. */
static int parse_rest(struct span db, struct url *out, struct err *e)
{
	struct url_query q = { .tls = out->tls, .sentinel = out->sentinel };

	if (db.len > 0 && url_query_db(db.at, db.len, &q, e) < 0)
		return -1;
	if (url_query_parse(db.at + db.len, &q, e) < 0)
		return -1;
	out->db = q.db;
	out->sentinel = q.sentinel;
	return 0;
}

static int parse_tcp(struct span authority, bool sentinel, struct url *out, struct err *e)
{
	const char *s = authority.at + authority.len;
	size_t len = 0;

	if (strchr(s, '@') != NULL)
		return usage(e, "an @ after a / or ?: write / ? @ in a password as %2F %3F %40");
	if (parse_hosts(authority, sentinel, out, e) < 0 ||
	    (sentinel && parse_master(&s, &out->sentinel, e) < 0))
		return -1;
	if (*s == '/')
		len = strcspn(++s, "?");
	return parse_rest((struct span){ s, len }, out, e);
}

static int parse_unix(struct span authority, struct url *out, struct err *e)
{
	struct span path = { authority.at + authority.len, 0 };

	path.len = strcspn(path.at, "?");
	if (authority.len > 0 || path.len == 0)
		return usage(e, "the socket path must be absolute, as in unix:///run/redis.sock");
	if (decode(path, out->path, sizeof out->path, "socket path", e) < 0)
		return -1;
	return parse_rest((struct span){ path.at + path.len, 0 }, out, e);
}

static int parse(const char *s, struct url *out, struct err *e)
{
	const struct scheme *scheme = check_bytes(s, e) < 0 ? NULL : parse_scheme(&s, out, e);
	struct span authority;

	if (!scheme)
		return -1;
	authority = (struct span){ s, strcspn(s, "/?") };
	if (parse_userinfo(&authority, out, e) < 0)
		return -1;
	return scheme->is_unix ? parse_unix(authority, out, e) :
				 parse_tcp(authority, scheme->sentinel, out, e);
}

int url_parse(const char *s, struct url *out, struct err *e)
{
	memset(out, 0, sizeof *out);
	if (parse(s, out, e) == 0)
		return 0;
	memset(out, 0, sizeof *out);
	return -1;
}
