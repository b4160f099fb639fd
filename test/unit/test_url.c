#include <stdlib.h>

#include "redis/url_text.h"
#include "unit.h"

#define CANARY "Zq7-secret-canary"

static void no_canary(const char *url, const char *text)
{
	check_row(strstr(text, CANARY) == NULL, url);
}

/* want: kind|user|password|host|port|path|db, - for no user or password. */
static void good(const char *url, const char *want)
{
	struct url u;
	struct err e = { 0 };
	char got[3000], shown[URL_TEXT];

	check_row(url_parse(url, &u, &e) == 0, url);
	snprintf(got, sizeof got, "%s%s|%s|%s|%s|%d|%s|%d", u.kind == URL_UNIX ? "unix" : "tcp",
		 u.tls ? "+tls" : "", u.has_user ? u.user : "-", u.has_password ? u.password : "-",
		 u.server.name, u.server.port, u.path, u.db);
	check_text(got, want);
	url_shown(&u, shown);
	no_canary(url, shown);
}

static void bad(const char *url, const char *about)
{
	static const struct url none;
	struct url u;
	struct err e = { 0 };

	memset(&u, 'x', sizeof u);
	check_row(url_parse(url, &u, &e) == -1, url);
	check_row(e.status == DQ_USAGE && e.fate == FATE_NOT_DONE, url);
	check_row(strstr(e.text, about) != NULL, url);
	check_row(memcmp(&u, &none, sizeof u) == 0, url);
	no_canary(url, e.text);
}

static void tcp(void)
{
	good("redis://", "tcp|-|-|127.0.0.1|6379||0");
	good("redis://h", "tcp|-|-|h|6379||0");
	good("REDIS://h", "tcp|-|-|h|6379||0");
	good("rediss://h", "tcp+tls|-|-|h|6379||0");
	good("valkey://h", "tcp|-|-|h|6379||0");
	good("ValkeyS://h", "tcp+tls|-|-|h|6379||0");
	good("redis://h:1", "tcp|-|-|h|1||0");
	good("redis://h:65535", "tcp|-|-|h|65535||0");
	good("redis://:6380", "tcp|-|-|127.0.0.1|6380||0");
	good("redis://10.0.0.1:6380/2", "tcp|-|-|10.0.0.1|6380||2");
	good("redis://[::1]", "tcp|-|-|::1|6379||0");
	good("redis://[fe80::1%25eth0.2]:7", "tcp|-|-|fe80::1%eth0.2|7||0");
	good("redis://[fe80::1%eth0]", "tcp|-|-|fe80::1%eth0|6379||0");
	good("redis://[fe80::1]:7/3", "tcp|-|-|fe80::1|7||3");
	good("redis://a-b.c_d~e", "tcp|-|-|a-b.c_d~e|6379||0");
	bad("", "empty");
	bad("redis", "begins");
	bad("redis:h", "begins");
	bad("redis:/h", "begins");
	bad("://h", "begins");
	bad("http://h", "begins");
	bad("redi://h", "begins");
	bad("redisss://h", "begins");
	bad("localhost:6379", "begins");
	bad("redis://h:", ":port");
	bad("redis://h:0", ":port");
	bad("redis://h:65536", ":port");
	bad("redis://h:99999999999999999999", ":port");
	bad("redis://h:-1", ":port");
	bad("redis://h:+1", ":port");
	bad("redis://h:06379", ":port");
	bad("redis://h:63x", ":port");
	bad("redis://h:1:2", ":port");
	bad("redis://::1", ":port");
	bad("redis://[::1]x", ":port");
	bad("redis://[::1", "]");
	bad("redis://[h]", "IPv6");
	bad("redis://[]", "IPv6");
	bad("redis://[fe80::1%25]", "interface");
	bad("redis://[fe80::1%25e/0]", "a [");
	bad("redis://[fe80::1%25e+0]", "interface");
	bad("redis://[10.0.0.1%25eth0]", "IPv6");
	bad("redis://h%41", "host");
	bad("redis://h\303\244", "host");
	bad("redis://h]", "host");
}

static void bytes(void)
{
	bad(" redis://h", "space");
	bad("redis://h ", "space");
	bad("redis://:p w@h", "space");
	bad("redis://h\n", "control");
	bad("redis://h\t/0", "control");
	bad("redis://h/0\r", "control");
	bad("redis://:a\177b@h", "control");
	bad("unix:///a b", "space");
	bad("redis://h#", "fragment");
	bad("redis://h/0#x", "fragment");
	bad("redis://:" CANARY "#x@h", "%23");
}

static void userinfo(void)
{
	char url[1100];

	good("redis://:pw@h", "tcp|-|pw|h|6379||0");
	good("redis://user:pw@h", "tcp|user|pw|h|6379||0");
	good("redis://user:" CANARY "@h:1/2?db=2", "tcp|user|" CANARY "|h|1||2");
	good("redis://user:p:w@h", "tcp|user|p:w|h|6379||0");
	good("redis://:pw@", "tcp|-|pw|127.0.0.1|6379||0");
	good("redis://:pw@:1", "tcp|-|pw|127.0.0.1|1||0");
	good("redis://:pw@[::1]:1", "tcp|-|pw|::1|1||0");
	good("redis://:@h", "tcp|-|-|h|6379||0");
	good("redis://user:@h", "tcp|user|-|h|6379||0");
	good("redis://u%73er:%40%2f%3A%25%0a%fF@h", "tcp|user|@/:%\n\377|h|6379||0");
	good("redis://us%3Aer:pw@h", "tcp|us:er|pw|h|6379||0");
	bad("redis://" CANARY "@h", "user:password@, :password@ or, with a password file, user:@");
	bad("redis://@h", "user:password@");
	bad("redis://" CANARY "%3A@h", "user:password@");
	bad("redis://:" CANARY "%@h", "%-escape in the password");
	bad("redis://:" CANARY "%4@h", "%-escape in the password");
	bad("redis://:" CANARY "%4g@h", "%-escape in the password");
	bad("redis://:" CANARY "%00@h", "%-escape in the password");
	bad("redis://%zz:" CANARY "@h", "%-escape in the user");
	bad("redis://:a@" CANARY "@h", "%40");
	bad("redis://:a/" CANARY "@h", "%2F");
	bad("redis://:a?" CANARY "@h", "%3F");
	bad("redis://user:1?" CANARY "=x@h", "%3F");
	bad("redis://user:12/3@h", "%2F");
	bad("redis://user:" CANARY, ":port");
	bad("redis://user:" CANARY "@h:0", ":port");
	bad("redis://user:" CANARY "@h/x", "database");
	bad("redis://:pw@h:" CANARY, ":port");
	bad("redis://[" CANARY "]", "IPv6");
	bad(CANARY "://h", "begins");
	bad("user:" CANARY "@h", "begins");
	snprintf(url, sizeof url, "redis://:%01023d@h", 7);
	check_int(url_parse(url, &(struct url){ 0 }, &(struct err){ 0 }), 0);
	snprintf(url, sizeof url, "redis://:%01024d@h", 7);
	bad(url, "1024 bytes long, at most 1023");
	snprintf(url, sizeof url, "redis://%0256d:x@h", 7);
	bad(url, "256 bytes long, at most 255");
	snprintf(url, sizeof url, "redis://%0256d", 7);
	bad(url, "256 bytes long, at most 255");
}

static void database(void)
{
	good("redis://h/", "tcp|-|-|h|6379||0");
	good("redis://h/0", "tcp|-|-|h|6379||0");
	good("redis:///15", "tcp|-|-|127.0.0.1|6379||15");
	good("redis://h/2147483647", "tcp|-|-|h|6379||2147483647");
	bad("redis://h/2147483648", "database");
	bad("redis://h/01", "leading zeros");
	bad("redis://h/00", "leading zeros");
	bad("redis://h/x", "database");
	bad("redis://h/1x", "database");
	bad("redis://h/-1", "database");
	bad("redis://h/1/2", "database");
	bad("redis://h/1/", "database");
	bad("redis://h//", "database");
	bad("redis://h/%31", "database");
}

static void unix_socket(void)
{
	char url[400], want[400];

	good("unix:///run/redis.sock", "unix|-|-||0|/run/redis.sock|0");
	good("redis+unix:///s", "unix|-|-||0|/s|0");
	good("Redis+Socket:///s", "unix|-|-||0|/s|0");
	good("unix:///s?db=3", "unix|-|-||0|/s|3");
	good("unix://user:" CANARY "@/s", "unix|user|" CANARY "||0|/s|0");
	good("unix://:pw@/a/b@c:d", "unix|-|pw||0|/a/b@c:d|0");
	good("unix:///a%20b%3f\303\244", "unix|-|-||0|/a b?\303\244|0");
	bad("unix://", "absolute");
	bad("unix://s", "absolute");
	bad("unix://tmp/s", "absolute");
	bad("unix://.%2Fs", "absolute");
	bad("unix://:pw@s/t", "absolute");
	bad("unix://:" CANARY "/x@/s", "absolute");
	bad("unix://?db=1", "absolute");
	bad("unix://" CANARY "@/s", "user:password@");
	bad("unix:///s%00", "%-escape in the socket path");
	bad("unix:///s%", "%-escape in the socket path");
	snprintf(url, sizeof url, "unix:///%0106d", 7);
	snprintf(want, sizeof want, "unix|-|-||0|/%0106d|0", 7);
	good(url, want);
	snprintf(url, sizeof url, "unix:///%0105d%%41", 7);
	snprintf(want, sizeof want, "unix|-|-||0|/%0105dA|0", 7);
	good(url, want);
	snprintf(url, sizeof url, "unix:///%0107d", 7);
	bad(url, "108 bytes long, at most 107");
	snprintf(url, sizeof url, "unix:///%0106d%%41", 7);
	bad(url, "108 bytes long, at most 107");
}

/* What there is to choose from, as a URL again; it must read the same. */
static void choice(const char *url, const char *want)
{
	struct url u, again;
	struct err e = { 0 };
	char got[URL_BARE], shown[URL_TEXT];

	check_row(url_parse(url, &u, &e) == 0, url);
	check_row(u.hosts.count > 0 && !u.server.name[0], url);
	url_bare(&u, got);
	check_text(got, want);
	check_row(url_parse(got, &again, &e) == 0, url);
	memset(u.password, 0, sizeof u.password);
	u.has_password = false;
	check_row(memcmp(&u, &again, sizeof u) == 0, url);
	url_shown(&u, shown);
	no_canary(url, shown);
}

static void hosts(void)
{
	char many[200] = "redis://a";

	choice("redis://a,b", "redis://a:6379,b:6379/0");
	choice("rediss://user:" CANARY "@a:1,[::1],10.0.0.1:65535/3",
	       "rediss://user:@a:1,[::1]:6379,10.0.0.1:65535/3");
	choice("valkey://a,a:7/2", "redis://a:6379,a:7/2");
	for (int i = 1; i < URL_HOSTS; i++)
		strcat(many, ",b");
	choice(many,
	       "redis://a:6379,b:6379,b:6379,b:6379,b:6379,b:6379,b:6379,b:6379,b:6379,b:6379,"
	       "b:6379,b:6379,b:6379,b:6379,b:6379,b:6379/0");
	strcat(many, ",b");
	bad(many, "more than 16");
	bad("redis://a,", "needs its name");
	bad("redis://,a", "needs its name");
	bad("redis://,", "needs its name");
	bad("redis://a,:6379", "needs its name");
	bad("redis://a,b:0", "65535");
	bad("redis://a,b:x,c", "65535");
	bad("redis://a,[::1", "without its ]");
	bad("redis://a,[10.0.0.1]", "IPv6");
	bad("redis://a,b c", "spaces");
	bad("redis://:" CANARY "@a,b@c", "@");
	bad("redis://a,b/1/2", "database");
}

static void sentinel(void)
{
	char longest[200] = "redis+sentinel://a/";

	choice("redis+sentinel://h/m", "redis+sentinel://h:26379/m/0");
	choice("rediss+sentinel://user:" CANARY "@a:1,b/m/7",
	       "rediss+sentinel://user:@a:1,b:26379/m/7");
	choice("REDIS+SENTINEL://[::1],"
	       "b/my%20m%2fx%25/0?sentinel_username=u%40&sentinel_password_file=%2frun/a%26b",
	       "redis+sentinel://[::1]:26379,"
	       "b:26379/my%20m%2Fx%25/0?sentinel_username=u%40&sentinel_password_file=/run/a%26b");
	choice("redis+sentinel://h/m/?sentinel_password_file=f",
	       "redis+sentinel://h:26379/m/0?sentinel_password_file=f");
	choice("redis+sentinel://h/m?db=3", "redis+sentinel://h:26379/m/3");
	memset(longest + strlen(longest), 'm', 128);
	strcat(longest, "/0");
	choice(longest,
	       "redis+sentinel://a:26379/"
	       "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
	       "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm/0");
	longest[strlen(longest) - 2] = 'm';
	bad(longest, "at most 128");
	bad("redis+sentinel://", "needs its name");
	bad("redis+sentinel:///m", "needs its name");
	bad("redis+sentinel://:26379/m", "needs its name");
	bad("redis+sentinel://h", "/MASTER");
	bad("redis+sentinel://h/", "/MASTER");
	bad("redis+sentinel://h//0", "/MASTER");
	bad("redis+sentinel://h/?db=1", "/MASTER");
	bad("redis+sentinel://h/m/01", "leading zeros");
	bad("redis+sentinel://h/m/0/1", "database");
	bad("redis+sentinel://h/%0a", "not printable");
	bad("redis+sentinel://h/m%c3%b6", "not printable");
	bad("redis+sentinel://h/m%00", "%-escape");
	bad("redis+sentinel://h/m%zz", "%-escape");
	bad("redis+sentinel://h/m#x", "fragment");
	bad("redis+sentinel://" CANARY "@h/m", "user:password@");
	bad("redis+sentinel://h/:" CANARY "@h/m", "@ after a /");
	bad("redis+sentinel://h/m?sentinel_username=", "not empty");
	bad("redis+sentinel://h/m?sentinel_username=a&sentinel_username=b", "once each");
	bad("redis+sentinel://h/m?sentinel_password_file=a&sentinel_password_file=b", "once each");
	bad("redis+sentinel://h/m?sentinel_password_file=%00", "%-escape");
	bad("valkey+sentinel://h/m", "begins");
}

static void shown_as(const char *url, const char *want)
{
	struct url u;
	struct err e;
	char shown[URL_TEXT];

	check_row(url_parse(url, &u, &e) == 0, url);
	url_shown(&u, shown);
	check_text(shown, want);
}

static void shown(void)
{
	shown_as("redis://", "redis://127.0.0.1:6379/0");
	shown_as("valkeys://user:" CANARY "@h:1/2?db=2", "rediss://user@h:1/2");
	shown_as("redis://:" CANARY "@[::1]", "redis://[::1]:6379/0");
	shown_as("redis://[fe80::1%25eth0]", "redis://[fe80::1%25eth0]:6379/0");
	shown_as("redis://u%1b%40%c3:x@h", "redis://u%1B%40%C3@h:6379/0");
	shown_as("redis://" CANARY ":@h", "redis://***@h:6379/0");
	shown_as("unix:///a%0ab/c:d", "unix:///a%0Ab/c:d");
	shown_as("unix://u:" CANARY "@/s?db=3", "unix://u@/s?db=3");
	shown_as("redis://:" CANARY "@a,[::1]:7/3", "redis://a:6379,[::1]:7/3");
	shown_as("redis+sentinel://u:" CANARY "@s,t:1/m%20n/3?sentinel_password_file=f",
		 "redis+sentinel://u@s:26379,t:1/m%20n/3");
}

/* The longest of everything, and a struct that no URL gives. */
static void shown_fits(void)
{
	struct url u = {.kind = URL_UNIX, .has_user = true, .has_password = true, .db = 2147483647};
	char text[URL_TEXT];

	memset(u.user, 1, sizeof u.user - 1);
	memset(u.path, 1, sizeof u.path - 1);
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT);
	CHECK(strstr(text, "%01...@%01") != NULL && strstr(text, "%01?db=2147483647") != NULL);
	u.kind = URL_TCP;
	u.tls = true;
	u.server.port = 65535;
	memset(u.server.name, 'h', sizeof u.server.name - 1);
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT && strstr(text, "hhh:65535/2147483647") != NULL);
	memset(u.server.name, ':', sizeof u.server.name - 1);
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT);
	memset(u.server.name, 1, sizeof u.server.name - 1);
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT && strstr(text, "...:65535") != NULL);
}

/* As above, with sixteen hosts. */
static void choice_fits(void)
{
	static struct url u = {.tls = true, .has_user = true, .has_password = true,
			       .db = 2147483647, .hosts = {.count = URL_HOSTS}};
	char text[URL_TEXT], bare[URL_BARE];

	memset(u.user, 1, sizeof u.user - 1);
	memset(u.sentinel.master, 1, sizeof u.sentinel.master - 1);
	memset(u.sentinel.user, 1, sizeof u.sentinel.user - 1);
	memset(u.sentinel.password_file, 1, sizeof u.sentinel.password_file - 1);
	for (int i = 0; i < URL_HOSTS; i++) {
		u.hosts.at[i].port = 65535;
		memset(u.hosts.at[i].name, 'h', sizeof u.hosts.at[i].name - 1);
	}
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT && strstr(text, "hhh:65535,.../") != NULL);
	url_bare(&u, bare);
	CHECK(strlen(bare) < URL_BARE && strstr(bare, "...") == NULL);
	for (int i = 0; i < URL_HOSTS; i++)
		memset(u.hosts.at[i].name, ':', sizeof u.hosts.at[i].name - 1);
	url_shown(&u, text);
	CHECK(strlen(text) < URL_TEXT);
	url_bare(&u, bare);
	CHECK(strlen(bare) < URL_BARE);
}

int main(void)
{
	tcp();
	bytes();
	userinfo();
	database();
	unix_socket();
	hosts();
	sentinel();
	shown();
	shown_fits();
	choice_fits();
	return unit_end();
}
