/* url_query: the parameters of a URL, those of other clients, too. Pure. */
#ifndef DQ_URL_QUERY_H
#define DQ_URL_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The master's name, and how to log in to Sentinels. */
struct url_sentinel {
	char master[129];         /* its name; "" = these are no Sentinels */
	char user[256];
	char password[1024];      /* no URL holds it: tool/password */
	char password_file[512];
};

/* What a URL has before its parameters, and what they add. */
struct url_query {
	bool tls;
	bool has_db; /* db was read */
	int db;
	struct url_sentinel sentinel;
};

/* url_query_parse reads what follows the path: s is at the '?' or at the end. It accepts
 *   db=N, database=N                              the database; the same one, if the path has it
 *   sentinel_username=, sentinel_password_file=   of Sentinels
 * and parameters of other clients with a value that means what dq does anyway:
 * ssl_cert_reqs=required, protocol=2. All others are refused, with DQ_USAGE: their meaning must not
 * be ignored. The message has the name of the parameter, if it looks like one, and a hint, if dq
 * knows it; it never has the value, which may be a secret. */
int url_query_parse(const char *s, struct url_query *q, struct err *e);

/* url_query_db reads a database, without percent-encoding. */
int url_query_db(const char *s, size_t len, struct url_query *q, struct err *e);

#endif
