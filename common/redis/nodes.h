/* nodes: the servers to which the calls of a tool go: that of the URL, the root, or all of a
 * cluster. There is no cluster until a server replies MOVED or ASK, because only a cluster does
 * that. Such replies also teach which node has a slot: a call for an unknown slot goes to the root.
 * Any node can be the root, so the root may try the addresses of all known nodes. Every other node
 * has one address. */
#ifndef DQ_NODES_H
#define DQ_NODES_H

#include <stdint.h>

#include "redis/call.h"
#include "redis/refusal.h"
#include "redis/session.h"

struct node {
	struct conn conn;
	struct session session; /* of conn */
	struct err lost;        /* of a cluster's node: why session.pause is not 0 */
	int64_t lost_at;        /* clock_ms: when it was lost first since the last good reply;
	                         * 0: all is well */
	/* clock_ms: since when it refuses calls (patience.h), 0: it does not;
	 * and when it did last */
	int64_t refused_at, refusal_at;
	int64_t pause;          /* ms between attempts of the exchange to open it again: grows until
	                         * a connection lasts */
	uint64_t named;         /* cluster.names when a reply named it last */
	bool is_new;            /* a redirection named it, and it has done no call yet */
};

#define NODES_MAX 1000 /* as clusters have */
#define NODES_KEPT 64  /* of more than these, those that nothing needs are forgotten: their hosts
                        * may be gone for ever */

struct moving_slot;

struct cluster {
	struct node *all[NODES_MAX]; /* the first is the root */
	int count;
	uint16_t at[SLOTS];     /* which of them has that slot, from 1 on; 0 = not known */
	uint64_t names;         /* in replies so far */
	int64_t next_new;       /* clock_ms: see nodes_learn */
	int named, replaced;    /* hosts of the root: the first ones, which the URL names;
	                         * how often another one was replaced */
	struct node *failed;    /* of the last exchange that failed */
	bool mapped;            /* nodes_map has asked */
	int64_t turn_at;        /* clock_ms: nodes_turn does nothing before */
	struct moving_slot *moving; /* slots that are being moved: nodes_moving_add */
	int moving_count;
	unsigned moving_last;   /* the slot for which a call failed last */
};

/* nodes_init first. It must not move in memory. */
struct nodes {
	struct node root;
	struct cluster *cluster; /* NULL: no reply has shown yet that this is a cluster */
	enum moving moving;      /* of the calls that are added from now on; set by the tool */
	int64_t moving_until;    /* clock_ms */
};

void nodes_init(struct nodes *n, const struct conn_conf *conf);

/* nodes_close closes all connections, and frees all but the root. */
void nodes_close(struct nodes *n);

static inline int nodes_count(const struct nodes *n)
{
	return n->cluster ? n->cluster->count : 1;
}

/* nodes_node: the i-th; the first is the root. */
static inline struct node *nodes_node(struct nodes *n, int i)
{
	return n->cluster ? n->cluster->all[i] : &n->root;
}

/* nodes_left: is the root open, or may another node of its cluster be reachable? */
static inline bool nodes_left(const struct nodes *n)
{
	return n->root.conn.redis || n->cluster;
}

/* nodes_at: the node that has the slot, as far as is known: the root without a cluster. Its
 * connection may be closed. */
struct node *nodes_at(struct nodes *n, unsigned slot);

/* nodes_find returns the index of the node of a cluster at that address, and adds the node if it is
 * new, perhaps in place of one that nothing needs any more; -1: no memory, or too many nodes. */
int nodes_find(struct nodes *n, const struct url_host *host);

/* nodes_complete sets an empty host to that of c, whose server sent the address. */
void nodes_complete(const struct conn *c, struct url_host *host);

/* nodes_open opens a node of a cluster, unless it is open. After a loss it fails at once, for the
 * same reason, until the time of the next try; then the node must reply quickly. Opening forgets
 * which slots the node had. Errors as session_open, but DQ_TEMPORARY instead of DQ_UNAVAILABLE,
 * because other nodes may be reachable. */
int nodes_open(struct nodes *n, struct node *node, const struct wait *wait, struct err *e);

/* nodes_learn: `by` replied MOVED or ASK; *to becomes the node to which the reply points. -1: no
 * memory, too many nodes, or an invalid reply. 1: not now, because too many replies name new nodes,
 * and none of them has the slot (a cluster whose nodes do not agree could have the tool connect
 * anywhere, without end). */
int nodes_learn(struct nodes *n, struct node *by, const struct redisReply *reply, struct node **to,
		struct err *e);

/* nodes_serves: node, which is_new, did a call, so it is a node indeed. */
void nodes_serves(struct nodes *n, struct node *node);

/* nodes_also_here: the root may be opened at that host, too. The newest hosts replace older ones,
 * but none that the URL names. */
void nodes_also_here(struct nodes *n, const struct url_host *host);

/* nodes_forget forgets which node has the slot. */
void nodes_forget(struct nodes *n, unsigned slot);

/* nodes_forget_all forgets all slots of a node. */
void nodes_forget_all(struct nodes *n, const struct node *node);

/* nodes_map asks for all slots (CLUSTER SLOTS), once; if that is not allowed, MOVED continues to
 * teach them. It does nothing while calls are in flight on the root. */
void nodes_map(struct nodes *n, const struct wait *wait);

/* nodes_all asks for all slots in any case, if the root is a server of a cluster; -1: it was
 * refused, or lost. No calls may be in flight on the root. */
int nodes_all(struct nodes *n, const struct wait *wait, struct err *e);

/* nodes_make makes the cluster, with the root alone, unless there is one; -1: memory. */
int nodes_make(struct nodes *n);

/* nodes_slots: how many slots the i-th has, as far as is known;
 * -1: slots of which no node is known. */
int nodes_slots(const struct cluster *all, int i);

/* nodes_turn: node replied that the slot has no master. If it is the root, and has other hosts to
 * choose from, it is opened at the next one, because the first may be cut off from its cluster. At
 * most once a second, and not while calls are in flight. */
void nodes_turn(struct nodes *n, struct node *node);

/* nodes_note records that an exchange failed on node;
 * if that lost the connection, it is opened again later. */
void nodes_note(struct nodes *n, struct node *node, const struct err *e);

/* nodes_lost is session_lost for the node on which the last exchange failed,
 * or without a cluster for the root. */
void nodes_lost(struct nodes *n, const char *object, const struct err *e);

/* nodes_pause, after nodes_lost, waits until the time of the next try: 0; or -1: wait->until
 * passed, or DQ_STOPPED. Without a cluster it is session_again. */
int nodes_pause(struct nodes *n, const struct wait *wait, struct err *e);

/* nodes_retry_at: the earliest time (clock_ms) at which a lost connection may be opened again. If
 * none is lost: now or, in a cluster, soon. */
int64_t nodes_retry_at(struct nodes *n);

/* While a slot is being moved, the server refuses scripts on its keys (TRYAGAIN); other slots of
 * the node work. Unless calls for it wait (enum moving), the slot is noted, and calls for it fail
 * at once until retry_at. The connection stays open: nodes_note, nodes_lost, nodes_pause and
 * nodes_retry_at know the fate FATE_MOVING. */

/* nodes_moving_for: ms for which a tool tries again while a slot moves, a cluster is down, or the
 * nodes do not agree: the retry_for that the user named, else at least the time-out. */
int64_t nodes_moving_for(const struct conn_conf *conf);

/* nodes_expire: MOVING_EXPIRES after nodes_moving_for, from now on. */
void nodes_expire(struct nodes *n);

/* nodes_moving_add notes the slot, unless calls for it wait: it returns true, and *e, the refusal,
 * gets FATE_MOVING. retry_at is 50 ms later at first; each further refusal doubles that, up to 1 s.
 * e may be NULL. */
bool nodes_moving_add(struct nodes *n, enum moving how, unsigned slot, struct err *e);

/* nodes_moving returns true until retry_at, with the same *e. e and retry_at may be NULL. */
bool nodes_moving(const struct nodes *n, enum moving how, unsigned slot, int64_t *retry_at,
		  struct err *e);

/* nodes_moving_say, which nodes_lost calls, reports the slot, once for each reason. */
void nodes_moving_say(struct nodes *n, const char *object, const struct err *e);

/* nodes_moved, after a script ran, ends the move, and reports the end. */
void nodes_moved(struct nodes *n, unsigned slot);

/* nodes_moving_retry_at: the next retry_at of all slots; 0: none is to come. */
int64_t nodes_moving_retry_at(const struct cluster *all);

/* nodes_moving_last_at: retry_at of the slot for which a call failed last. */
int64_t nodes_moving_last_at(const struct cluster *all);

/* nodes_push is conn_push of all. */
void nodes_push(struct nodes *n);

#endif
