/* nodes: the servers of a cluster, and which of them has a slot. conn->nodes is NULL until a server replies MOVED or ASK, because only
 * a cluster does that. Such replies also teach which node has a slot: a call for an unknown slot goes to the root, the connection of the
 * URL. Any node can be the root, so the root may try the addresses of all known nodes. Every other node has one address. */
#ifndef DQ_NODES_H
#define DQ_NODES_H

#include <stdint.h>

#include "redis/refusal.h"
#include "redis/session.h"

struct node {
	struct conn *conn;      /* the root, or own */
	struct conn own;
	struct session session; /* unless its conn is kept */
	struct err lost;        /* why session.pause is not 0 */
	uint64_t named;         /* nodes.names when a reply named it last */
};

#define NODES_MAX 1000 /* as clusters have */
#define NODES_KEPT 64  /* of more than these, those that nothing needs are forgotten: their hosts may be gone for ever */

struct moving_slot;

struct nodes {
	struct node *all[NODES_MAX]; /* the first is of the root */
	int count;
	uint16_t at[SLOTS];     /* which of them has that slot, from 1 on; 0 = not known */
	uint64_t names;         /* in replies so far */
	int64_t next_new;       /* clock_ms: see nodes_learn */
	int named, replaced;    /* hosts of the root: the first ones, which the URL names; how often another one was replaced */
	struct conn *failed;    /* of the last exchange that failed */
	bool mapped;            /* nodes_map has asked */
	int64_t turn_at;        /* clock_ms: nodes_turn does nothing before */
	struct moving_slot *moving; /* slots that are being moved: nodes_moving_add */
	int moving_count;
	unsigned moving_last;   /* the slot for which a call failed last */
};

static inline struct conn *nodes_root(const struct nodes *all)
{
	return all->all[0]->conn;
}

/* nodes_left: is c open, or may another node of its cluster be reachable? */
static inline bool nodes_left(const struct conn *c)
{
	return c->redis || c->nodes;
}

/* nodes_at: the connection of the node that has the slot, as far as is known: c itself without a cluster. It may be closed. */
struct conn *nodes_at(struct conn *c, unsigned slot);

/* nodes_node is the node of that connection, of a cluster. nodes_find returns the index of the node at that address, and adds the node
 * if it is new, perhaps in place of one that nothing needs any more; -1: no memory, or too many nodes. nodes_complete sets an empty host
 * to that of c, whose server sent the address. */
struct node *nodes_node(const struct conn *c);
int nodes_find(struct nodes *all, const struct url_host *host);
void nodes_complete(const struct conn *c, struct url_host *host);

/* nodes_open opens that connection, of a cluster, unless it is open. After a loss it fails at once, for the same reason, until the time
 * of the next try; then the node must reply quickly. Opening forgets which slots the node had. Errors as session_open, but DQ_TEMPORARY
 * instead of DQ_UNAVAILABLE, because other nodes may be reachable. */
int nodes_open(struct conn *c, const struct wait *wait, struct err *e);

/* nodes_learn: c replied MOVED or ASK; *to becomes the connection to which the reply points. -1: no memory, too many nodes, or an invalid
 * reply. 1: not now, because too many replies name new nodes, and none of them has the slot (a cluster whose nodes do not agree could
 * have the tool connect anywhere, without end). nodes_serves: c, which is_new, did a call, so it is a node indeed. nodes_also_here: the
 * root may be opened at that host, too. The newest hosts replace older ones, but none that the URL names.
 * nodes_forget forgets which node has the slot, nodes_forget_all all slots of c. nodes_map asks for all slots (CLUSTER SLOTS), once; if
 * that is not allowed, MOVED continues to teach them. nodes_all asks in any case, if c, the root, is a server of a cluster; -1: it was
 * refused, or lost. */
int nodes_learn(struct conn *c, const struct redisReply *reply, struct conn **to, struct err *e);
void nodes_serves(struct conn *c);
void nodes_also_here(struct nodes *all, const struct url_host *host);
void nodes_forget(const struct conn *c, unsigned slot);
void nodes_forget_all(const struct conn *c);
void nodes_map(struct conn *c, const struct wait *wait);
int nodes_all(struct conn *c, const struct wait *wait, struct err *e);

/* nodes_make makes the nodes of the root c, with it alone, unless there are any; -1: memory. nodes_slots: how many slots the i-th has, as
 * far as is known; -1: slots of which no node is known. */
int nodes_make(struct conn *root);
int nodes_slots(const struct nodes *all, int i);

/* nodes_turn: c replied that the slot has no master. If it is the root, and has other hosts to choose from, it is opened at the next one,
 * because the first may be cut off from its cluster. At most once a second, and not while calls are in flight. */
void nodes_turn(struct conn *c);

/* nodes_note records that an exchange failed on c; if that lost the connection, it is opened again later. nodes_lost is session_lost for
 * the connection on which the last exchange failed: that of kept, the tool's session of the root, or that of the node. nodes_again is
 * nodes_lost for c, and waits until the time of the next try: 0; or -1: wait->until passed, or DQ_STOPPED. Without a cluster it is
 * session_lost and session_again. nodes_pause, after nodes_lost, is session_again, or waits in the same way. */
void nodes_note(struct conn *c, const struct err *e);
void nodes_lost(struct session *kept, const char *object, const struct err *e);
int nodes_pause(struct session *kept, const struct wait *wait, struct err *e);
int nodes_again(struct session *root, struct conn *c, const struct wait *wait, struct err *e);

/* nodes_retry_at: the earliest time (clock_ms) at which a lost connection may be opened again. If none is lost: now or,
 * in a cluster, soon. */
int64_t nodes_retry_at(struct session *kept);

/* While a slot is being moved, the server refuses scripts on its keys (TRYAGAIN); other slots of the node work. A tool that serves other
 * queues sets moving_fails_from of the root: NODES_AT_ONCE, or the clock_ms until which a call repeats itself. nodes_moving_add then
 * notes the slot: it returns true, and *e, the refusal, gets FATE_MOVING. Until retry_at nodes_moving returns true with the same *e, and
 * calls for the slot fail at once. retry_at is 50 ms later at first; each further refusal doubles that, up to 1 s. nodes_moved ends it,
 * after a script ran. The connection stays open: nodes_note, nodes_lost, nodes_pause and nodes_retry_at know that fate.
 * nodes_moving_say, which nodes_lost calls, reports the slot, once for each reason, and nodes_moved its end. e and retry_at may be NULL. */
#define NODES_AT_ONCE 1
bool nodes_moving_add(struct conn *c, unsigned slot, struct err *e);
bool nodes_moving(const struct conn *c, unsigned slot, int64_t *retry_at, struct err *e);
void nodes_moving_say(struct session *kept, const char *object, const struct err *e);
void nodes_moved(const struct conn *c, unsigned slot);
int64_t nodes_moving_retry_at(const struct nodes *all); /* the next of all, 0: none is to come; _last_at: of the last call that failed */
int64_t nodes_moving_last_at(const struct nodes *all);

/* nodes_push is conn_push of all. nodes_close closes all, and frees them; c is the root. */
void nodes_push(const struct conn *c);
void nodes_close(struct conn *c);

#endif
