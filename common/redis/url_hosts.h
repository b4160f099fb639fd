/* url_hosts: hosts and ports, in a URL and in what a Sentinel says. Pure. */
#ifndef DQ_URL_HOSTS_H
#define DQ_URL_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define URL_HOSTS 16

struct url_host {
	char name[256]; /* without brackets */
	int port;       /* 1..65535 */
};

/* Two servers or more, or Sentinels. Zero-initialise. */
struct url_hosts {
	struct url_host at[URL_HOSTS];
	int count;
};

/* url_hosts_parse reads the hosts of a URL, without a '@': one, which may be empty, for 127.0.0.1,
 * or those of a list. */
int url_host_parse(const char *s, size_t len, int default_port, struct url_host *out,
		   struct err *e);
int url_hosts_parse(const char *s, size_t len, int default_port, struct url_hosts *out,
		    struct err *e);

/* url_host_name: may a URL have s as a host? An address of IPv6 is without brackets. */
bool url_host_name(const char *s, size_t len);

/* url_number: digits without a leading zero, up to max; -1: something else. */
int url_number(const char *s, size_t len, int max);

#endif
