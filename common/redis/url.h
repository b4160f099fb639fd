/* url: where Redis is. A strict grammar; pure. */
#ifndef DQ_URL_H
#define DQ_URL_H

#include <stdbool.h>

#include "base/err.h"

struct url {
	enum { URL_TCP, URL_UNIX } kind;
	bool tls;             /* rediss, valkeys */
	bool has_user;
	bool has_password;
	char host[256];       /* without brackets */
	int port;             /* 1..65535 */
	char path[108];       /* of the socket; at most 107 bytes, as sun_path holds */
	char user[256];
	char password[1024];
	int db;               /* 0..2^31-1 */
	char ignored[64];     /* names of query parameters that mean nothing here, for one warning; "" = none */
};

/* url_parse:
 *   tcp  = ("redis"/"rediss"/"valkey"/"valkeys") "://" [userinfo "@"] [host] [":" port] ["/" [db]] ["?" query]
 *   unix = ("unix"/"redis+unix"/"redis+socket") "://" [userinfo "@"] absolute-path ["?db=N" and others]
 *   userinfo = [user] ":" password ; host = name / IPv4 / "[" IPv6 "]" ; db = "0" / no leading zero
 * Scheme case-insensitive. Default host 127.0.0.1, port 6379, db 0. userinfo and path are percent-decoded; %00 and bad
 * escapes are refused; so are a userinfo without ':' (the message names both spellings), a second path segment, port 0
 * or above 65535, a fragment, spaces and control bytes, trailing junk, a socket path over 107 bytes or not absolute
 * (say both lengths). redis+sentinel and rediss+sentinel: DQ_CONFIG "Sentinel URLs are reserved". Everything else:
 * DQ_USAGE. No message ever shows the password or the text before '@': none quotes the URL at all, because the
 * password may be anywhere in a URL that does not parse. An empty user or password counts as none. A raw '@' is
 * refused wherever it leaves that in doubt. After a failure *out is all zero. */
int url_parse(const char *s, struct url *out, struct err *e);

#define URL_TEXT 700
/* url_shown writes the URL without its password, percent-encoded or escaped so that a terminal is safe. */
void url_shown(const struct url *u, char out[URL_TEXT]);

/* url_bare writes a URL of the same place and user without the password, which url_parse reads. */
void url_bare(const struct url *u, char out[URL_TEXT]);

#endif
