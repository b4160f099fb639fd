/* script: the embedded Lua scripts, and calls of them. A call is sent by EVALSHA. The reply NOSCRIPT proves that it did not run; then the
 * same call is sent again by EVAL, which also loads the script. */
#ifndef DQ_SCRIPT_H
#define DQ_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/name.h"
#include "redis/conn.h"
#include "redis/session.h"

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
extern const struct script script_load;
extern const struct script script_mark;
extern const struct script script_pause;
extern const struct script script_promote;
extern const struct script script_put;
extern const struct script script_redrive;
extern const struct script script_release;
extern const struct script script_retry;
extern const struct script script_rm;
extern const struct script script_shards;
extern const struct script script_show;
extern const struct script script_stat;
extern const struct script script_take;
extern const struct script script_touch;
extern const struct script script_unlist;
extern const struct script script_walk;

/* One call. Zero-initialise; call_free at the end. Keys and arguments are borrowed until it has its reply. */
struct call {
	const struct script *script; /* NULL: a plain command */
	const char **argv;
	size_t *lens;
	int argc, cap;
	int key;                     /* index of the argument whose slot decides the node; 0 = none */
	struct conn *asking;         /* send it there next time, after ASKING; NULL: to the node that has the slot */
	bool reads;                  /* it changes nothing, whatever becomes of it */
	bool overflow;               /* out of memory while adding; script_send reports it */
	bool again;                  /* script_run sent it again: its reply may be from another server than the replies before */
	struct redisReply *reply;    /* owned */
};

/* call_start begins anew (argv is kept for reuse) with all keys of a queue, call_start_on with those two. call_plain begins a command
 * without script, call_read one that changes nothing.
 * The adders never fail: see overflow. */
void call_start(struct call *call, const struct script *script, const struct name_keys *keys);
void call_start_on(struct call *call, const struct script *script, const char *key, const char *other);
void call_plain(struct call *call, const char *command);
void call_read(struct call *call, const char *command);
void call_add(struct call *call, const char *bytes, size_t len);
void call_key(struct call *call, const char *key, size_t len); /* a command's first key */
void call_text(struct call *call, const char *text);
void call_free(struct call *call);

/* script_way: the open connection on which to send a call: c itself or, in a cluster, one of c->nodes. -1: *way cannot be opened. */
int script_way(struct conn *c, const struct call *call, const struct wait *wait, struct conn **way, struct err *e);

/* script_send queues the call. script_recv waits for the next call that has its reply, in order of sending; a call that was sent again
 * comes last. Both as conn_send and conn_recv. *done->reply may be an error reply, which script_check turns into an err. */
int script_send(struct conn *c, struct call *call, struct err *e);
int script_recv(struct conn *c, const struct wait *wait, struct call **done, struct err *e);
int script_check(const struct call *call, struct err *e);

/* script_is_known: false after the connection was lost, until the server has replied to a call of the same script. Until then the server
 * may lack the script; then the call is sent again, and runs after requests that were sent later. NULL, a
 * plain command, is always known. */
bool script_is_known(const struct conn *c, const struct script *script);

/* call_unexpected: DQ_INTERNAL for a reply that this script cannot give. */
int call_unexpected(const struct call *call, struct err *e);

/* script_run is send, recv and check of one call on a connection (that of script_way). Calls that are in flight there already get their
 * replies, too. Every error without a reply, also DQ_STOPPED, closes the connection. If a server refuses the call because it is not the
 * master, or does not have the slot, the call is sent to another server, as script_again describes. */
int script_run(struct conn *c, struct call *call, const struct wait *wait, struct err *e);

/* script_again: must the refused call be sent again, by script_way? c is the connection that refused it. True if the URL has several
 * hosts, that server is not the master (place.h), and c is now open to another server; but not if a session keeps the connection. Also
 * true if a cluster refused it (refusal.h). *how begins as zeros, for one call; wait limits the search. true: the reply is freed. false:
 * *e is unchanged, or why the search ended. */
struct script_again {
	struct session session;
	struct wait wait;
	int count; /* refusals of a cluster */
};
bool script_again(struct conn *c, struct call *call, const struct wait *wait, struct script_again *how, struct err *e);

/* script_moving: is the slot of the script call being moved (nodes_moving)? Then the call must not be sent now, and *e says so. */
bool script_moving(const struct conn *c, const struct call *call, struct err *e);

/* script_heed learns from the refusal of a call on c which node has the slot. 1: send the call again at once, 0: after SCRIPT_PAUSE ms;
 * -1: the reply is no such refusal, or is invalid. */
#define SCRIPT_PAUSE 50
int script_heed(struct conn *c, struct call *call, struct err *e);

/* script_ask is script_run for a reply of that hiredis type. Any other type is call_unexpected. */
int script_ask(struct conn *c, struct call *call, int type, const struct wait *wait, struct err *e);

#endif
