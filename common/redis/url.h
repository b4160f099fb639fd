/* url: parses the URL of a Redis, by a strict grammar. */
#ifndef DQ_URL_H
#define DQ_URL_H

#include <stdbool.h>

#include "base/err.h"
#include "redis/url_hosts.h"
#include "redis/url_query.h"

struct url {
	enum { URL_TCP, URL_UNIX } kind;
	bool tls;             /* rediss, valkeys, rediss+sentinel */
	bool has_user;
	bool has_password;
	struct url_host server; /* the one to connect to; name "": none is chosen yet */
	struct url_hosts hosts; /* to choose from; count 0: no choice */
	struct url_sentinel sentinel;
	char path[108];       /* of the socket; at most 107 bytes, as sun_path holds */
	char user[256];
	char password[1024];
	int db;               /* 0..2^31-1 */
};

/* url_parse:
 *   tcp      = ("redis"/"rediss"/"valkey"/"valkeys") "://" [userinfo "@"] hosts ["/" [db]]
 *              ["?" query]
 *   sentinel = ("redis+sentinel"/"rediss+sentinel") "://" [userinfo "@"] list "/" master ["/" [db]]
 *              ["?" query]
 *   unix     = ("unix"/"redis+unix"/"redis+socket") "://" [userinfo "@"] absolute-path ["?" query]
 *   userinfo = [user] ":" password ; db = "0" / no leading zero ; hosts = [host] [":" port] / list
 *   list     = host [":" port] *("," host [":" port]) ; host = name / IPv4 / "[" IPv6 "]"
 *   query    = NAME "=" VALUE *("&" NAME "=" VALUE): url_query.h
 * The scheme may have capitals. Default: host 127.0.0.1, port 6379 (of a Sentinel 26379), db 0. At
 * most URL_HOSTS hosts. userinfo, path and the values of a query are percent-decoded. An empty user
 * or password counts as none.
 * Refused, with DQ_USAGE: %00 and bad escapes; a userinfo without ':' (the message names both
 * spellings); an empty host in a list; a master's name that is empty, longer than 128 bytes or not
 * printable; too many segments of the path; port 0 or above 65535; a fragment; spaces and control
 * bytes; trailing bytes; a socket path over 107 bytes or not absolute; a raw '@' that makes the
 * userinfo ambiguous. A message quotes no part of the URL but the name of a parameter, because the
 * password may be anywhere. After a failure *out is all zero. */
int url_parse(const char *s, struct url *out, struct err *e);

#endif
