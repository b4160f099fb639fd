/* receipt: the five ways to settle a delivery. */
#ifndef DQ_RECEIPT_H
#define DQ_RECEIPT_H

#include "queue/queue.h"

enum receipt_verb { RECEIPT_DONE, RECEIPT_RETRY, RECEIPT_BURY, RECEIPT_EXTEND, RECEIPT_GIVE_BACK };

#define RECEIPT_REASON_MAX 1000 /* bytes kept as the last reason */

/* What the verb's script takes before the receipts. amount is ms as text: of the delay for RETRY ("" = by the message's schedule)
 * and GIVE_BACK (there also @MS since 1970; "" = due as before), and of the new lease for EXTEND. reason counts for RETRY and BURY. Texts are borrowed. */
struct receipt_call {
	const struct script *script;
	int fixed_count;
	const char *fixed[3];
};
struct receipt_call receipt_call(enum receipt_verb verb, const char *amount, const char *reason);

#define RECEIPT_LETTERS "dbsu" /* that these scripts answer */

/* receipt_ask begins a call that reads the last deliveries of messages, whose ids are to follow by call_text: it changes nothing, and
 * the server has next to nothing to do. receipt_told: is its reply one for that many? receipt_is_last: is the token that of the last
 * delivery of the i-th, not settled? If not, only a script tells whether and why the receipt is no longer valid. */
void receipt_ask(struct call *call, const struct queue *q);
bool receipt_told(const struct call *call, size_t count);
bool receipt_is_last(const struct call *call, size_t i, const char *token);

/* receipt_settle settles one. *letter: d done, b dead instead (RETRY, out of tries), s no longer valid, u no such message. */
int receipt_settle(struct queue *q, const struct receipt_call *how, const char *id, const char *token, char *letter, struct err *e);

#endif
