/* block: the connection of a waiter that blocks in BZPOPMIN: opens it, learns its id, and ends
 * BZPOPMIN by CLIENT UNBLOCK on another connection.
 * While writes are paused (CLIENT PAUSE, a planned failover), Redis postpones BZPOPMIN, and a
 * CLIENT UNBLOCK for a postponed command crashes Redis 7.0. So CLIENT UNBLOCK is in a transaction
 * with a write that changes nothing: Redis postpones this transaction, too, and when the pause
 * ends, nothing is postponed any more. */
#ifndef DQ_BLOCK_H
#define DQ_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "redis/exchange.h"

struct block {
	struct conn conn;
	struct session session; /* of it */
	char client_id[24];
	char name[CONN_NAME];   /* the tool's, and -wait */
	char time[24];          /* of the open BZPOPMIN, s */
	bool open;              /* BZPOPMIN was sent and has no reply yet */
	bool forbidden;         /* blocking is not allowed here */
};

/* block_init copies conf. */
void block_init(struct block *b, const struct conn_conf *conf);

/* block_close closes the connection; block_up may open it again. block_close returns true if
 * BZPOPMIN was open: marks that it popped are lost. */
bool block_close(struct block *b);

/* block_strays: true if the connection leads to another server than `by`. */
bool block_strays(const struct block *b, const struct conn *by);

/* block_follow closes such a connection, and the next block_up opens it to the server of `by`. It
 * returns true as block_close does. */
bool block_follow(struct block *b, const struct conn *by);

/* block_up opens the connection if it is closed and the next attempt is due. 1: open. 0: not now.
 * -1: DQ_STOPPED. */
int block_up(struct block *b, const struct wait *wait, struct err *e);

/* block_pop sends BZPOPMIN, which blocks for ms. call has its keys; block_pop frees call. */
int block_pop(struct block *b, struct call *call, int64_t ms, struct err *e);

/* block_reply waits for the reply of BZPOPMIN until clock_us reaches until_us. 1: the reply came,
 * and the caller frees it. 0: not yet. -1: the connection is lost. */
int block_reply(struct block *b, int64_t until_us, struct redisReply **reply, struct err *e);

/* block_end sends CLIENT UNBLOCK on the connection of `by`. key is a mark's key for which BZPOPMIN
 * blocks. 1: the server replied. 0: the server refused; if it always will, blocking counts as
 * forbidden. -1: error. */
int block_end(struct block *b, struct exchange *x, struct node *by, const char *key,
	      const struct wait *wait, struct err *e);

/* block_hint sends CLIENT UNBLOCK without waiting for its reply, if BZPOPMIN is open and `by` leads
 * to the same server. The reply of BZPOPMIN shows whether it worked. */
void block_hint(const struct block *b, struct conn *by, const char *key);

/* What to poll. -1: BZPOPMIN is not open. */
int block_fd(const struct block *b);
short block_events(const struct block *b);

#endif
