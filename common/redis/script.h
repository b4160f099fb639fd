/* script: the embedded Lua scripts, and which of them a server has. A call (call.h) is sent by
 * EVALSHA. The reply NOSCRIPT proves that it did not run; then the same call is sent again by EVAL,
 * which also loads the script. */
#ifndef DQ_SCRIPT_H
#define DQ_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "redis/conn.h"

/* Made from lua/ by embed/embed.c: includes expanded, SHA1 of exactly this text. */
struct script {
	const char *name;
	const char *sha;
	size_t len;
	const char *text;
};

extern const struct script script_ack;
extern const struct script script_audit;
extern const struct script script_bury;
extern const struct script script_extend;
extern const struct script script_forget;
extern const struct script script_gc;
extern const struct script script_giveback;
extern const struct script script_promote_now;
extern const struct script script_list;
extern const struct script script_listed;
extern const struct script script_keys;
extern const struct script script_load;
extern const struct script script_mark;
extern const struct script script_promote;
extern const struct script script_put;
extern const struct script script_redrive;
extern const struct script script_release;
extern const struct script script_retry;
extern const struct script script_rm;
extern const struct script script_set;
extern const struct script script_shards;
extern const struct script script_show;
extern const struct script script_stat;
extern const struct script script_take;
extern const struct script script_touch;
extern const struct script script_unlist;
extern const struct script script_walk;

/* script_is_known: false after the connection was lost, until the server has replied to a call of
 * the same script. Until then the server may lack the script; then the call is sent again, and runs
 * after requests that were sent later. NULL, a plain command, is always known. */
bool script_is_known(const struct conn *c, const struct script *script);

/* script_note: the server of c has replied to a call of that script. */
void script_note(struct conn *c, const struct script *script);

#endif
