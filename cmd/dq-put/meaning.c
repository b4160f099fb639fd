#include "meaning.h"

static const struct meaning meanings[] = {
	{PUT_NEW, DQ_DONE, "put"},
	{PUT_SAME, DQ_DONE, "put"},
	{PUT_KEPT, DQ_DONE, "kept as it was: there is such a message already"},
	{PUT_REPLACED, DQ_DONE, "replaced"},
	{PUT_EARLIER, DQ_DONE, "made earlier"},
	{PUT_LATER, DQ_DONE, "made later"},
	{PUT_MOVED, DQ_DONE, "moved"},
	{PUT_EDITED, DQ_DONE, "edited"},
	{PUT_EXISTS, DQ_NO, "not put: there is such a message already"},
	{PUT_DEAD, DQ_NO,
	 "not put: there is such a message already, and it is dead (dq-promote --dead delivers it "
	 "again, -e replace puts this one)"},
	{PUT_RESERVED, DQ_NO,
	 "not put: its message was acked, and the id is still reserved (--unique-for)"},
	{PUT_ABSENT, DQ_NO, "not put: there is no such message (--existing)"},
	{PUT_OUT_OF_RANGE, DQ_DATA, "not put: the due time is out of range (before May 2109)"},
	{PUT_EXPIRED, DQ_DATA, "not put: the expiry is not after the due time"},
	{PUT_FULL, DQ_TEMPORARY, "not put: the queue has as many messages as its max-len allows"},
	{PUT_UNSURE, DQ_TEMPORARY,
	 "perhaps not put: the connection was lost, and its id is reserved, by this message or an "
	 "earlier one"},
};

/* Without an expiry of its own, the put keeps that of the existing message. */
static const struct meaning outlived = {
	PUT_EXPIRED, DQ_NO, "not put: the existing message expires before the new due time"};

/* With -e keep a put need not put anything. */
static const struct meaning acked = {
	PUT_RESERVED, DQ_DONE,
	"not put: its message was acked, and the id is still reserved (--unique-for)"};

/* For a call that was sent twice: the first one may have put the message, and another client may
 * have changed or settled it since. */
static const struct meaning gone = {
	PUT_ABSENT, DQ_TEMPORARY,
	"perhaps not put: the connection was lost, and there is no such message now"};
static const struct meaning another = {
	PUT_EXISTS, DQ_TEMPORARY,
	"perhaps not put: the connection was lost, and the existing message is a different one"};

const struct meaning *meaning_of(const struct pipeline_result *r, bool made, bool expires,
				 bool keeps)
{
	const struct meaning *o = meanings;
	bool exists = r->letter == PUT_EXISTS || r->letter == PUT_DEAD;

	while (o->letter != (enum put_letter)r->letter)
		o++; /* the pipeline passes no other letters */
	if (made && r->repeated && (exists || o->letter == PUT_UNSURE))
		return meanings;
	if (o->letter == PUT_EXPIRED && !expires)
		return &outlived;
	if (o->letter == PUT_RESERVED && keeps)
		return &acked;
	if (r->repeated && o->letter == PUT_ABSENT)
		return &gone;
	return r->repeated && exists ? &another : o;
}
