/* block: the connection of a waiter that blocks in BZPOPMIN: opens it, learns its id, and ends BZPOPMIN by CLIENT UNBLOCK on another
 * connection. */
#ifndef DQ_BLOCK_H
#define DQ_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "redis/script.h"
#include "redis/session.h"

struct block {
	struct conn conn;
	struct session session; /* of it */
	char client_id[24];
	char name[40];          /* the tool's, and -wait */
	char time[24];          /* of the open BZPOPMIN, s */
	bool open;              /* BZPOPMIN was sent and has no reply yet */
	bool forbidden;         /* blocking is not allowed here */
};

/* block_init copies conf. block_close closes the connection; it may be opened again. true: BZPOPMIN was open: what it popped is lost. */
void block_init(struct block *b, const struct conn_conf *conf);
bool block_close(struct block *b);

/* block_strays: is the connection to another server than that of `by`? block_follow closes it then, and will open it there; true as
 * block_close. */
bool block_strays(const struct block *b, const struct conn *by);
bool block_follow(struct block *b, const struct conn *by);

/* block_up: is the connection open? It is opened if it is time for that. 1 yes, 0 not now, -1 DQ_STOPPED. */
int block_up(struct block *b, const struct wait *wait, struct err *e);

/* block_pop sends BZPOPMIN, to which call has the keys: it blocks for ms. The call is freed. */
int block_pop(struct block *b, struct call *call, int64_t ms, struct err *e);

/* block_reply waits until clock_us is until_us for the reply of BZPOPMIN, which the caller frees. 1 it came, 0 not yet, -1: the
 * connection is lost. */
int block_reply(struct block *b, int64_t until_us, struct redisReply **reply, struct err *e);

/* block_end sends CLIENT UNBLOCK on the connection `by`. 1 the server replied, 0 it is not allowed, -1 error. */
int block_end(const struct block *b, struct conn *by, const struct wait *wait, struct err *e);

/* block_hint sends that without waiting for the reply, if BZPOPMIN is open and `by` to the same server; whether it helped is seen. */
void block_hint(const struct block *b, struct conn *by);

/* What to poll: -1: BZPOPMIN is not open. */
int block_fd(const struct block *b);
short block_events(const struct block *b);

#endif
