/* server_info: what the server says of itself: INFO, its settings where it tells them, its clock. */
#ifndef DQ_SERVER_INFO_H
#define DQ_SERVER_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "redis/conn.h"

/* Zero-initialise to start; server_free to end. */
struct server {
	struct buf text; /* NAME:VALUE, LF: INFO's lines, then the settings, with "config " before each name */
	bool config;     /* it told its settings: CONFIG is often forbidden, or has another name */
	bool clock;      /* it told its clock */
	int64_t now;     /* ms since 1970, by its clock */
	int64_t ahead;   /* ms that its clock is ahead of ours; negative: behind */
};

/* server_ask: only INFO must be answered. Errors as script_run. */
int server_ask(struct conn *c, struct server *s, struct err *e);

/* server_field returns the value, not NUL-ended, or NULL where there is none. server_is compares it. server_number reads
 * it; none where it is absent or no whole number from 0. server_shown writes it for a human's eyes. */
const char *server_field(const struct server *s, const char *name, size_t *len);
bool server_is(const struct server *s, const char *name, const char *value);
int64_t server_number(const struct server *s, const char *name, int64_t none);
char *server_shown(const struct server *s, const char *name, char *dst, size_t cap);
void server_free(struct server *s);

#endif
