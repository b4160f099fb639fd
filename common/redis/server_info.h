/* server_info: INFO, the settings and the clock of a server. */
#ifndef DQ_SERVER_INFO_H
#define DQ_SERVER_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "redis/exchange.h"

/* Zero-initialise to start; server_free to end. */
struct server {
	struct buf text; /* NAME:VALUE, LF: INFO's lines, then the settings,
	                  * with "config " before each name */
	bool config;     /* the settings are there; CONFIG is often forbidden,
	                  * or has another name */
	bool clock;      /* the clock is there */
	int64_t now;     /* ms since 1970, by its clock */
	int64_t ahead;   /* ms that its clock is ahead of ours; negative: behind */
};

/* server_ask reads all of this from the server. It fails only if INFO does;
 * errors as those of exchange_run. */
int server_ask(struct exchange *x, struct node *node, struct server *s, struct err *e);

/* server_field returns the value, without NUL at its end, or NULL if there is none. server_is
 * compares it. server_number returns it as a number from 0 on, or none if it is absent or no such
 * number. server_shown writes it to dst, escaped, for messages. */
const char *server_field(const struct server *s, const char *name, size_t *len);
bool server_is(const struct server *s, const char *name, const char *value);
int64_t server_number(const struct server *s, const char *name, int64_t none);
char *server_shown(const struct server *s, const char *name, char *dst, size_t cap);
void server_free(struct server *s);

#endif
