#include "redis/url.h"
#include "unit.h"

#define CANARY "Zq7-secret-canary"

/* The database of the URL; -1: it is refused, for that reason, without the canary. */
static int database(const char *url, const char *about)
{
	struct err e = {.status = DQ_DONE};
	struct url u;

	if (url_parse(url, &u, &e) == 0)
		return u.db;
	check_row(e.status == DQ_USAGE, url);
	check_row(strstr(e.text, about) != NULL, url);
	check_row(strstr(e.text, CANARY) == NULL, url);
	return -1;
}

static void good(const char *url, int db)
{
	check_row(database(url, "") == db, url);
}

static void bad(const char *url, const char *about)
{
	check_row(database(url, about) == -1, url);
}

static void databases(void)
{
	good("redis://h?", 0);
	good("redis://h/?", 0);
	good("redis://h/3?&&", 3);
	good("redis://h?db=2", 2);
	good("redis://h/?db=2", 2);
	good("redis://h/2?db=2", 2);
	good("rediss://u:p@a,b?db=2147483647", 2147483647);
	good("redis://h?database=2", 2);
	good("redis+sentinel://h/m?db=3", 3);
	good("unix:///s?db=3", 3);
	good("unix:///s?database=0&db=0&", 0);
	good("redis+socket://u:p@/s?db=3", 3);
	bad("redis://h/0?db=2", "two databases");
	bad("redis://h/2?db=0", "two databases");
	bad("redis+sentinel://h/m/1?db=3", "two databases");
	bad("unix:///s?db=1&db=2", "two databases");
	bad("unix:///s?db=1&database=2", "two databases");
	bad("redis://h?db=", "database is a number");
	bad("redis://h?db", "database is a number");
	bad("redis://h?db=03", "database is a number");
	bad("redis://h?db=%32", "database is a number");
	bad("redis://h?db=" CANARY, "database is a number");
}

/* What other clients' URLs mean is done, or refused. */
static void of_other_clients(void)
{
	good("rediss://h/1?ssl_cert_reqs=required", 1);
	good("rediss://h?ssl_cert_reqs=CERT_REQUIRED&ssl_check_hostname=True", 0);
	good("rediss://h?skip_verify=false&verifyPeer=FULL", 0);
	good("redis://h?protocol=2&family=0", 0);
	bad("redis://h?ssl_cert_reqs=required", "ssl_cert_reqs, but no TLS: rediss://");
	bad("rediss://h?ssl_cert_reqs=none",
	    "ssl_cert_reqs: dq verifies the server's certificate; only --insecure");
	bad("rediss://h?ssl_cert_reqs=", "--insecure");
	bad("rediss://h?ssl_cert_reqs", "--insecure");
	bad("rediss://h?ssl_cert_reqs=requiredrequiredrequiredrequiredrequired", "--insecure");
	bad("rediss://h?ssl_check_hostname=false", "--insecure");
	bad("rediss://h?skip_verify=true", "--insecure");
	bad("rediss://h?verifyPeer=NONE", "--insecure");
	bad("rediss://h?ssl_ca_certs=/" CANARY, "--cacert");
	bad("rediss://h?ssl_certfile=f", "--cert");
	bad("rediss://h?ssl_keyfile=f", "--key");
	bad("redis://h?protocol=3", "protocol: dq speaks protocol 2");
	bad("redis://h?family=6", "family");
	bad("redis://h?username=u", "before the @");
	bad("unix:///s?password=" CANARY, "password: it belongs before the @");
	bad("redis+unix:///s?db=1&user=u&pass=" CANARY, "user: it belongs before the @");
	bad("redis://h?socket_timeout=5", "--timeout");
	bad("redis://h?timeout=5s", "--timeout");
	bad("redis://h?read_timeout=5&dial_timeout=3", "--timeout");
	bad("redis://h?socket_connect_timeout=5", "--connect-timeout");
	bad("redis://h?dial_timeout=5", "--connect-timeout");
	bad("redis://h?connectTimeout=5", "--connect-timeout");
	bad("redis://h?client_name=me",
	    "client_name: the name of the connection is that of the tool");
	bad("redis://h?master_name=m&addr=h2:26379", "redis+sentinel://");
	bad("redis://h?addr=h2:6379", "redis://HOST,HOST");
}

static void of_sentinels(void)
{
	good("redis+sentinel://h/m?sentinel_username=u&db=1&sentinel_password_file=f", 1);
	bad("redis+sentinel://h/m?sentinel_username=", "not empty");
	bad("redis+sentinel://h/m?sentinel_username", "not empty");
	bad("redis+sentinel://h/m?sentinel_username=a&sentinel_username=b", "once each");
	bad("redis+sentinel://h/m?sentinel_password_file=%00", "%-escape");
	bad("redis+sentinel://h/m?sentinel_password=" CANARY, "DQ_SENTINEL_PASSWORD");
	bad("redis://h?sentinel_username=u", "belongs to redis+sentinel://");
	bad("unix:///s?sentinel_password_file=f", "belongs to redis+sentinel://");
}

static void unknown(void)
{
	bad("redis://h?decode_responses=" CANARY, "unknown parameter: decode_responses");
	bad("redis://h?db=1&max_connections=10", "unknown parameter: max_connections");
	bad("redis://h?DB=2", "unknown parameter: DB");
	bad("redis://h?d%62=2", "unknown parameter after");
	bad("redis://h?" CANARY, "unknown parameter after");
	bad("redis://h?canary", "unknown parameter after");
	bad("redis://h?" CANARY "=", "unknown parameter after");
	bad("redis://h?=" CANARY, "unknown parameter after");
	bad("redis://h?db=1&\303\244=1", "unknown parameter after");
	bad("redis://h?abcdefghijabcdefghijabcdefghijabcdefghijk=1", "unknown parameter after");
}

int main(void)
{
	databases();
	of_other_clients();
	of_sentinels();
	unknown();
	return unit_end();
}
