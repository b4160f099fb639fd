/* settle: the calls of a consumer for one delivery: the four that settle it, and extend. */
#ifndef DQ_SETTLE_H
#define DQ_SETTLE_H

#include "message/letters.h"
#include "queue/queue.h"
#include "redis/durability.h"

enum settle_verb { SETTLE_DONE, SETTLE_RETRY, SETTLE_BURY, SETTLE_EXTEND, SETTLE_GIVE_BACK };

#define SETTLE_REASON_MAX 1000 /* bytes kept as the last reason */

/* The arguments of the verb's script before the receipts; the time argument of the queue replaces
 * the first one. amount is ms as text: of the delay for RETRY ("" = by the message's schedule) and
 * GIVE_BACK (there also @MS since 1970; "" = due as before), and of the new lease for EXTEND.
 * reason counts for RETRY, BURY and GIVE_BACK; "" keeps the last one; for DONE it is the result
 * (lib/outcome.lua). Texts are borrowed. */
struct settle_call {
	const struct script *script;
	int fixed_count;
	const char *fixed[4];
	/* settle_run waits for that (durability.h).
	 * Not for EXTEND, which a worker repeats in time */
	bool confirmed;
};
struct settle_call settle_call(enum settle_verb verb, const char *amount, const char *reason);

/* settle_ask begins a call that reads the last deliveries of messages; add their ids with
 * call_text. It changes nothing and costs the server little. */
void settle_ask(struct call *call, const struct queue *q);

/* settle_reply_valid: true if its reply is valid for that many ids. */
bool settle_reply_valid(const struct call *call, size_t count);

/* settle_is_last: true if the token is that of the last delivery of message i, and that delivery is
 * not settled. If false, only a script can say whether and why the receipt is no longer valid. */
bool settle_is_last(const struct call *call, size_t i, const char *token);

/* settle_begin sends a call and goes on; settle_end waits for its reply, and returns as settle_run.
 * All texts are borrowed until then. Zero-initialise. */
struct settling {
	struct call call;
	struct durability durability; /* of call */
};
void settle_begin(struct settling *s, struct queue *q, const struct settle_call *how,
		  const char *id, const char *token, const struct wait *wait);
int settle_end(struct settling *s, struct queue *q, const struct wait *wait,
	       enum settle_letter *letter, struct err *e);

/* settle_run settles one delivery. With FATE_UNCONFIRMED there is a letter, too. FATE_SHARDS: the
 * queue is being removed, and may still have the message. */
int settle_run(struct queue *q, const struct settle_call *how, const char *id, const char *token,
	       const struct wait *wait, enum settle_letter *letter, struct err *e);

#endif
