/* limited: what the limits of a queue let through, and what they explain. Pure. */
#ifndef DQ_LIMITED_H
#define DQ_LIMITED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/duration.h"
#include "queue/stat.h"

/* limited_paused: all of its shards are, so that consumers get nothing. */
bool limited_paused(const struct queue_counts *c);

/* limited_by: the limit that explains why messages wait. A rate or max-leased does so while nine
 * tenths of it are in use: then its consumers are at work, and more of them would not help. A pause
 * does so if it has an end. */
enum limit_why limited_by(const struct queue_counts *c);

/* limited_at_work: consumers of the queue use a rate or max-leased up, so they also promote when
 * they can. */
bool limited_at_work(const struct queue_counts *c);

/* limited_first: when the first of the messages was due that a limit of all of them holds back (ms;
 * -1: none). What keys hold back is in first_blocked. limited_holds: is there any of either, or may
 * nothing be taken because of keys, so that the limits of the queue may be too low? */
int64_t limited_first(const struct queue_counts *c);
bool limited_holds(const struct queue_counts *c);

/* limited_behind: how many messages are ready or due. limited_backlog: how long the rate needs for
 * these, ms; -1: there is no rate. */
int64_t limited_behind(const struct queue_counts *c);
int64_t limited_backlog(const struct queue_counts *c);

/* limited_word: paused, rate, leased or keys; NULL: none. */
const char *limited_word(enum limit_why why);

#define LIMITED_TEXT 256

/* limited_cell writes why consumers get nothing now: "paused", for how much longer a pause lasts,
 * "partly" (some shards are paused), "rate", "leased", "keys" or "-". */
void limited_cell(const struct queue_counts *c, char out[DURATION_TEXT]);

/* limited_reason writes a limit with its value: rate=5/1s, max-leased=7, paused until TIME. why is
 * one of these. */
void limited_reason(const struct queue_counts *c, enum limit_why why, char out[LIMITED_TEXT]);

/* limited_uses writes all limits and how far they are used: "rate 5 of 5/1s, leased 6 of
 * 7"; "": there are none. */
void limited_uses(const struct queue_counts *c, char out[LIMITED_TEXT]);

/* limited_json adds the members for these. Returns 0, or -1 if out of memory. */
int limited_json(struct buf *out, const struct queue_counts *c);

#endif
