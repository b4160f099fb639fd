/* url_text: writes a URL as text, without any password. Pure. */
#ifndef DQ_URL_TEXT_H
#define DQ_URL_TEXT_H

#include "redis/url.h"

#define URL_TEXT 900
#define URL_BARE 8192
#define URL_HOST_TEXT 300

/* url_shown writes the URL for people: with the server in use or, if none is chosen, with all
 * hosts to choose from, cut if they are many. It is percent-encoded or escaped, so that a
 * terminal is safe. */
void url_shown(const struct url *u, char out[URL_TEXT]);

/* url_bare writes a URL that url_parse reads, with the same hosts or Sentinels and
 * the same user. */
void url_bare(const struct url *u, char out[URL_BARE]);

/* url_host_shown writes HOST:PORT. */
void url_host_shown(const struct url_host *h, char out[URL_HOST_TEXT]);

#endif
