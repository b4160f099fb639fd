/* opt: the options that every tool has, and the way to Redis that they describe. */
#ifndef DQ_OPT_H
#define DQ_OPT_H

#include <stdbool.h>
#include <stdint.h>

#include "message/line.h"
#include "redis/exchange.h"
#include "tool/argv.h"

/* Long options without a letter get codes from here on; the tools' own start at OPT_OWN. */
enum {
	OPT_PASSWORD_FILE = 256,
	OPT_CONNECT_TIMEOUT,
	OPT_TIMEOUT,
	OPT_PREFIX,
	OPT_ASKPASS,
	OPT_CACERT,
	OPT_CERT,
	OPT_KEY,
	OPT_INSECURE,
	OPT_WAIT_REPLICAS, /* these two: tool/durably.h */
	OPT_FSYNC,
	OPT_RETRY_FOR,     /* tool/patience.h */
	OPT_OWN = 300
};

/* Each tool's tables for argv_next begin with these. */
#define OPT_SHORT "+:u:hVv"
#define OPT_LONG \
	{"url", required_argument, NULL, 'u'}, \
	{"password-file", required_argument, NULL, OPT_PASSWORD_FILE}, \
	{"askpass", no_argument, NULL, OPT_ASKPASS}, \
	{"cacert", required_argument, NULL, OPT_CACERT}, \
	{"cert", required_argument, NULL, OPT_CERT}, {"key", required_argument, NULL, OPT_KEY}, \
	{"insecure", no_argument, NULL, OPT_INSECURE}, \
	{"connect-timeout", required_argument, NULL, OPT_CONNECT_TIMEOUT}, \
	{"timeout", required_argument, NULL, OPT_TIMEOUT}, \
	{"prefix", required_argument, NULL, OPT_PREFIX}, {"help", no_argument, NULL, 'h'}, \
	{"version", no_argument, NULL, 'V'}, {"verbose", no_argument, NULL, 'v'}
#define OPT_END {NULL, 0, NULL, 0}

/* Their lines in --help, after those of the tool's own options. */
#define OPT_USAGE \
	"  -u, --url URL            where Redis is: redis://HOST:PORT/DB, rediss:// with\n" \
	"                           TLS, redis+sentinel://HOST:PORT,.../MASTER/DB,\n" \
	"                           or unix:///PATH?db=N (DQ_URL, REDIS_URL;\n" \
	"                           default redis://127.0.0.1:6379/0)\n" \
	"      --password-file FILE first line is the password (DQ_PASSWORD_FILE; or\n" \
	"                           REDISCLI_AUTH)\n" \
	"      --askpass            ask for the password on the terminal\n" \
	"      --cacert FILE        trust these certificates only, not the system's\n" \
	"                           (DQ_CACERT)\n" \
	"      --cert FILE, --key FILE  the client's certificate (DQ_CERT, DQ_KEY)\n" \
	"      --insecure           do not verify the server's certificate\n" \
	"      --connect-timeout DUR  to connect (5s)\n" \
	"      --timeout DUR        for each reply (10s)\n" \
	"      --prefix TEXT        of all keys (DQ_PREFIX; default dq)\n" \
	"  -h, --help               this text\n" \
	"  -V, --version            version\n" \
	"  -v, --verbose            report what is done on standard error\n"

#define OPT_BY_URL -1 /* retry_for: the timeout if the URL has several hosts, else 0 */

struct opt {
	const char *url;
	const char *password_file;
	const char *prefix;
	struct tls_conf tls;
	int64_t connect_timeout, timeout; /* ms */
	int64_t retry_for; /* ms, or OPT_BY_URL; 0 for tools without the option */
	bool retry_named;  /* --retry-for was in the arguments */
	const char *tls_named; /* the last option about TLS on the command line; NULL: none */
	bool askpass;
	bool verbose;
	bool hushed; /* it does not report that it tries again, and the end of that */
	struct durable durable; /* who must confirm changes; opt_prepare limits its ms to timeout */
};

/* opt_start prepares the process and sets the defaults. Call it first. */
void opt_start(struct opt *o, const char *tool);

/* opt_common handles an option that argv_next returned, if it is one of those above, or of
 * patience.h. After --help and --version it ends the tool. False: it is an option of the tool. */
bool opt_common(struct opt *o, int c, const char *usage);

/* These read the argument of an option of the tool. They end the tool with DQ_USAGE if it is
 * invalid. name is that of the option. */
int64_t opt_duration(const char *name, const char *text);
/* of -d, a duration, or -a, a time: as scripts read them */
void opt_due(int letter, const char *text, char due[LINE_DUE]);
int64_t opt_number(const char *name, const char *text, int64_t min, int64_t max);

/* opt_queue checks a queue's name. opt_queues checks the names up to NULL, and removes those that
 * were there before: a queue that is named twice is one. Returns how many there are. */
void opt_queue(const char *name);
int opt_queues(char **names);

/* opt_caught passes on what stop_catch or stop_catch_children returned. If that is -1, it
 * ends the tool: without TERM it would keep leases, and without SIGCHLD it would not see
 * its commands end. */
int opt_caught(int fd);

/* opt_connect opens the connection, or ends the tool. stop_fd as in conn.h. */
void opt_connect(const struct opt *o, struct exchange *x, int stop_fd);

/* opt_prepare only prepares the connection, and opt_open opens it. */
void opt_prepare(const struct opt *o, struct exchange *x, int stop_fd);
void opt_open(struct exchange *x);

#endif
