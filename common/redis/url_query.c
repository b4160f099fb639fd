#include "redis/url_query.h"

#include <limits.h>
#include <string.h>

#include "base/percent.h"
#include "redis/url_hosts.h"

#define VERIFIED "dq verifies the server's certificate; only --insecure turns that off"
#define PASSWORDS "it belongs before the @, as in USER:PASSWORD@HOST, or into a password file"
#define REPLIES "use --timeout"
#define CONNECTS "use --connect-timeout"
#define NAMES "the name of the connection is that of the tool"
#define SENTINELS "for Sentinels: redis+sentinel://HOST,HOST/MASTER/DB"
#define OF_SENTINELS "it belongs to redis+sentinel://, and not to other URLs"

/* Parameters of redis-py, go-redis, ioredis, Lettuce and redis-rs. values: with these, between
 * blanks, it means what dq does. */
static const struct parameter {
	const char *name;
	const char *values;
	const char *hint; /* for all other values */
	bool tls;         /* the values need TLS */
} parameters[] = {
	{"ssl_cert_reqs", " required CERT_REQUIRED ", VERIFIED, true},
	{"ssl_check_hostname", " true True 1 ", VERIFIED, true},
	{"skip_verify", " false 0 ", VERIFIED, true},
	{"verifyPeer", " FULL true ", VERIFIED, true},
	{"ssl_ca_certs", " ", "use --cacert or DQ_CACERT", true},
	{"ssl_certfile", " ", "use --cert or DQ_CERT", true},
	{"ssl_keyfile", " ", "use --key or DQ_KEY", true},
	{"protocol", " 2 resp2 ", "dq speaks protocol 2", false},
	{"family", " 0 ", "dq takes the first address that works", false},
	{"username", " ", PASSWORDS, false},
	{"user", " ", PASSWORDS, false},
	{"password", " ", PASSWORDS, false},
	{"pass", " ", PASSWORDS, false},
	{"auth", " ", PASSWORDS, false},
	{"socket_timeout", " ", REPLIES, false},
	{"timeout", " ", REPLIES, false},
	{"read_timeout", " ", REPLIES, false},
	{"write_timeout", " ", REPLIES, false},
	{"commandTimeout", " ", REPLIES, false},
	{"socket_connect_timeout", " ", CONNECTS, false},
	{"dial_timeout", " ", CONNECTS, false},
	{"connectTimeout", " ", CONNECTS, false},
	{"client_name", " ", NAMES, false},
	{"clientName", " ", NAMES, false},
	{"connectionName", " ", NAMES, false},
	{"master_name", " ", SENTINELS, false},
	{"sentinelMasterId", " ", SENTINELS, false},
	{"addr", " ", "several hosts are redis://HOST,HOST; a cluster needs only one", false},
	{"sentinel_password", " ", "use sentinel_password_file or DQ_SENTINEL_PASSWORD", false},
	{"sentinel_username", " ", OF_SENTINELS, false},
	{"sentinel_password_file", " ", OF_SENTINELS, false},
};

/* One parameter, NAME=VALUE; without a '=' all of it is the name. */
struct pair {
	const char *name, *value;
	size_t name_len, value_len;
	bool has_value;
};

static bool is_called(const struct pair *p, const char *name)
{
	return p->name_len == strlen(name) && !memcmp(p->name, name, p->name_len);
}

static bool is_listed(const char *values, const struct pair *p)
{
	char word[40] = " ";

	if (p->value_len == 0 || p->value_len + 3 > sizeof word ||
	    memchr(p->value, ' ', p->value_len))
		return false;
	memcpy(word + 1, p->value, p->value_len);
	word[p->value_len + 1] = ' ';
	return strstr(values, word) != NULL;
}

static int unknown(const struct pair *p, struct err *e)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

	/* A name of another kind, or without a value, may be a password in the wrong place. */
	if (!p->has_value || p->name_len == 0 || p->name_len > 40 ||
	    strspn(p->name, letters) < p->name_len)
		return err_set(e, DQ_USAGE, "the URL has an unknown parameter after the ? or an &");
	return err_set(e, DQ_USAGE, "the URL has an unknown parameter: %.*s", (int)p->name_len,
		       p->name);
}

/* foreign handles a parameter of another client. */
static int foreign(const struct pair *p, bool tls, struct err *e)
{
	const struct parameter *known = NULL;

	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
		if (is_called(p, parameters[i].name))
			known = &parameters[i];
	if (!known)
		return unknown(p, e);
	if (!is_listed(known->values, p))
		return err_set(e, DQ_USAGE, "the URL has the parameter %s: %s", known->name,
			       known->hint);
	if (!known->tls || tls)
		return 0;
	return err_set(e, DQ_USAGE, "the URL has the parameter %s, but no TLS: rediss://",
		       known->name);
}

/* of_sentinels handles a parameter for Sentinels. Returns 1 if it is none. */
static int of_sentinels(const struct pair *p, struct url_sentinel *out, struct err *e)
{
	bool is_user = is_called(p, "sentinel_username");

	if (!is_user && !is_called(p, "sentinel_password_file"))
		return 1;
	if ((is_user ? out->user : out->password_file)[0] || p->value_len == 0)
		return err_set(e, DQ_USAGE,
			       "sentinel_username and sentinel_password_file: once each, "
			       "and not empty");
	if (is_user)
		return percent_text(p->value, p->value_len, out->user, sizeof out->user,
				    "sentinel_username", e);
	return percent_text(p->value, p->value_len, out->password_file, sizeof out->password_file,
			    "sentinel_password_file", e);
}

int url_query_db(const char *s, size_t len, struct url_query *q, struct err *e)
{
	int db = url_number(s, len, INT_MAX);

	if (db < 0)
		return err_set(e, DQ_USAGE,
			       "the database is a number from 0 to 2147483647, without "
			       "leading zeros");
	if (q->has_db && db != q->db)
		return err_set(e, DQ_USAGE, "two databases in one URL");
	q->db = db;
	q->has_db = true;
	return 0;
}

static int parameter(const struct pair *p, struct url_query *q, struct err *e)
{
	int other = 1;

	if (is_called(p, "db") || is_called(p, "database"))
		return url_query_db(p->value, p->value_len, q, e);
	if (q->sentinel.master[0])
		other = of_sentinels(p, &q->sentinel, e);
	return other > 0 ? foreign(p, q->tls, e) : other;
}

int url_query_parse(const char *s, struct url_query *q, struct err *e)
{
	while (*s != '\0') {
		size_t len = strcspn(++s, "&");
		struct pair p = {.name = s, .name_len = strcspn(s, "=&")};

		p.has_value = p.name_len < len;
		p.value = s + p.name_len + p.has_value;
		p.value_len = len - p.name_len - p.has_value;
		if (len > 0 && parameter(&p, q, e) < 0)
			return -1;
		s += len;
	}
	return 0;
}
