/* nodes: the servers of a cluster, and which of them has a slot. A connection has none (conn->nodes is NULL) until its server says that
 * it is one of a cluster: MOVED, or ASK. What is not known of a slot is learnt in the same way, from the connection of the URL, the
 * root, which is an entrance: any node will do for it, so its hosts are all nodes that are known. All others have their one address. */
#ifndef DQ_NODES_H
#define DQ_NODES_H

#include <stdint.h>

#include "redis/refusal.h"
#include "redis/session.h"

struct node {
	struct conn *conn;      /* the root, or own */
	struct conn own;
	struct session session; /* unless its conn is kept */
	struct err lost;        /* while session.pause is not 0: why */
};

#define NODES_MAX 1000 /* as clusters have */

struct nodes {
	struct node *all[NODES_MAX]; /* the first is of the root */
	int count;
	uint16_t at[SLOTS];     /* which of them has that slot, from 1 on; 0 = not known */
	struct conn *failed;    /* of the last exchange that failed */
	bool mapped;            /* nodes_map has asked */
};

static inline struct conn *nodes_root(const struct nodes *all)
{
	return all->all[0]->conn;
}

/* nodes_left: may there be a server to ask something, though c may be lost? */
static inline bool nodes_left(const struct conn *c)
{
	return c->redis || c->nodes;
}

/* nodes_at: the connection of the node that has the slot, as far as is known: c itself without a cluster. It may be closed. */
struct conn *nodes_at(struct conn *c, unsigned slot);

/* nodes_node is the node of that connection, of a cluster. nodes_find returns the number of the node at that address, from 0 on, which is
 * added if there is none; -1: it cannot be. nodes_complete: an empty host is that of c, whose server spoke. */
struct node *nodes_node(const struct conn *c);
int nodes_find(struct nodes *all, const struct url_host *host);
void nodes_complete(const struct conn *c, struct url_host *host);

/* nodes_open: is that connection, of a cluster, open, or can it be opened now? It fails at once where it was lost and is not to be tried
 * yet, and for the same reason; after that it must answer quickly. Errors as session_open, of which DQ_UNAVAILABLE becomes
 * DQ_TEMPORARY: other nodes are there. What was known of its slots is forgotten. */
int nodes_open(struct conn *c, const struct wait *wait, struct err *e);

/* nodes_learn: MOVED or ASK came on c: *to is where they point to. -1: memory, or it makes no sense. nodes_forget forgets who has
 * the slot, nodes_forget_all that c has any. nodes_map asks for all slots (CLUSTER SLOTS), once; if it is not allowed, MOVED goes on
 * telling. */
int nodes_learn(struct conn *c, const struct redisReply *reply, struct conn **to, struct err *e);
void nodes_forget(const struct conn *c, unsigned slot);
void nodes_forget_all(const struct conn *c);
void nodes_map(struct conn *c, const struct wait *wait);

/* nodes_note: an exchange failed on c: if that lost the connection, it is tried again later. nodes_lost is session_lost where the last
 * exchange that failed was: of kept, the tool's session of the root, or of the node. nodes_again is nodes_lost on c, and waits until it may
 * be tried again: 0. Or -1: wait->until passed, or DQ_STOPPED. Without a cluster it is session_lost and session_again. nodes_pause, after
 * nodes_lost, is session_again, or waits in the same way. */
void nodes_note(struct conn *c, const struct err *e);
void nodes_lost(struct session *kept, const char *object, const struct err *e);
int nodes_pause(struct session *kept, const struct wait *wait, struct err *e);
int nodes_again(struct session *root, struct conn *c, const struct wait *wait, struct err *e);

/* nodes_retry_at: when (clock_ms) a lost connection may be tried again, the soonest; where none is lost: now, or, in a cluster, soon. */
int64_t nodes_retry_at(struct session *kept);

/* nodes_push is conn_push of all. nodes_close closes all, and frees them; c is the root. */
void nodes_push(const struct conn *c);
void nodes_close(struct conn *c);

#endif
