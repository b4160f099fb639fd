/* judge: what a reply means for its call. This is the one place that judges a refusal (refusal.h).
 * Only the exchange uses this.
 *
 *   reply                                    LOSS_FAILS          LOSS_ONCE, LOSS_REPEATS
 *   a result, or an error that is no refusal over                over
 *   NOSCRIPT                                 sent by EVAL        sent by EVAL
 *   MOVED, ASK                               waits; sent there at once, a few times, then after
 *                                            pauses, until its time-out
 *   TRYAGAIN, CLUSTERDOWN; in a cluster      waits: sent again after pauses, until its time-out
 *   LOADING, READONLY, MASTERDOWN
 *   LOADING after a loss, without a cluster  over                waits; so do those behind it
 *   READONLY and the like, where the URL     waits: the connection is left when all replies on it
 *   has other hosts (place_is_wrong) have come (of a lane: now), and the master is searched; over,
 *                                            if the tool does that itself (exchange.tool_repeats)
 *   LOADING, BUSY, OOM and other errors that over; with patience (patience.h) waits, and is sent
 *   pass and prove that nothing was done     again after pauses; so do those behind it
 *   confirmed, but by no master any more     over                waits, or over: as if the
 *                                                                connection were lost
 *
 * If its slot is being moved and the tool serves other queues (enum moving), a call without a
 * lane is over with FATE_MOVING instead. A call of a lane is sent again after pauses; those
 * behind it wait.
 *
 * So if a slot moves in the middle of dq-put -l: the batches in flight for it come back with MOVED.
 * The first waits until the old node has replied to all behind it (dispatch_is_held). Then all of
 * them go to the new node, in order. If it says MOVED, too, 20 times, the first goes alone after a
 * pause, and the others wait for its reply. Batches of other slots go on. bulk/flight keeps the
 * order within a shard; dq-put prints names in the order of the input. */
#ifndef DQ_JUDGE_H
#define DQ_JUDGE_H

#include "redis/calls.h"

/* judge_reply: node sent that reply, which it owns from now on, to the request with that tag. */
void judge_reply(struct exchange *x, struct node *node, struct redisReply *reply, void *tag);

#endif
