/* url_text: a URL as text again, without any password. Pure. */
#ifndef DQ_URL_TEXT_H
#define DQ_URL_TEXT_H

#include "redis/url.h"

#define URL_TEXT 900
#define URL_BARE 8192
#define URL_HOST_TEXT 300

/* url_shown writes for people: of the server in use, or, where none is chosen, of all to choose from, cut where they are many.
 * Percent-encoded or escaped so that a terminal is safe. */
void url_shown(const struct url *u, char out[URL_TEXT]);

/* url_bare writes a URL of the same place (all hosts, the Sentinels) and user, which url_parse reads. */
void url_bare(const struct url *u, char out[URL_BARE]);

/* url_host_shown writes HOST:PORT. */
void url_host_shown(const struct url_host *h, char out[URL_HOST_TEXT]);

#endif
