/* listing: reads messages without moving them. */
#ifndef DQ_LISTING_H
#define DQ_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message/outcome.h"
#include "message/tries.h"
#include "queue/queue.h"

/* The names of the states for users. listing_state: true if the text is one of them. due is the
 * part of delayed whose due time has come. */
bool listing_state(const char *text);
extern const char *const listing_states[]; /* delayed due ready leased dead NULL */

/* A list of states with commas between them. listing_states_valid returns how many states it has,
 * or 0 if it is not valid. listing_among: true if the list has the state, or is "". listing_words
 * writes the list as in a sentence: "due or ready". */
int listing_states_valid(const char *list);
bool listing_among(const char *list, const char *state);
char *listing_words(const char *list, char out[64]);

/* One message of a page. The texts are valid during the call of each. */
struct listed {
	const char *id;
	int64_t at;         /* server's ms: due time, end of the lease, or time of death */
	struct tries tries; /* deliveries so far */
	int64_t due;        /* due time; of a leased or dead message,
	                     * the due time of its last delivery; -1 = none */
	const char *reason; /* last one; "" = none */
	size_t reason_len;
	const char *holder; /* of a leased message, who has it (base/holder.h); any bytes;
	                     * "" = not known */
	size_t holder_len;
	/* if wanted: all its data, with the payload, from a moment later than the rest;
	 * its call is empty */
	const struct shown *shown;
};

/* A page of messages that is asked for. Zero-initialise; listing_drop at the end. */
struct listing_page {
	struct call call;
	char numbers[2][24]; /* its arguments; borrowed until the reply */
};

/* listing_begin asks for the messages of that state (borrowed) with ranks skip to skip+limit-1
 * (limit 1..QUEUE_CALL_MAX), and goes on. listing_end waits for them, and calls each for them. *n
 * is their number; less than limit means the end. If each returns less than 0, listing_end stops
 * and fails with DQ_REPORTED. A page shows one moment; between pages messages move. A foreign id
 * (not written by dq) counts but is skipped: q->foreign is set, and q->notice names the first one
 * of a queue. listing_drop: nobody wants it any more. */
void listing_begin(struct listing_page *page, struct queue *q, const char *state, int64_t skip,
		   int limit);
int listing_end(struct listing_page *page, struct queue *q, const char *state,
		int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n,
		struct err *e);
void listing_drop(struct listing_page *page);

/* listing_passes_over: true if no tool can name the id. It is then recorded as above; state says
 * where it was found. */
bool listing_passes_over(struct queue *q, const char *state, const char *id, size_t len);

/* The position of a listing. Zero-initialise to start, buf_free at the end. Unlike a rank
 * it remains valid when listed messages are removed or moved, so the caller may do that
 * during the listing. */
struct listing_position {
	struct buf text;
};

/* listing_next is both, from a position on; it sets the position after the last message. whole:
 * with listed.shown, and without the messages that were removed meanwhile. */
int listing_next(struct queue *q, const char *state, struct listing_position *position, int limit,
		 bool whole, int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n,
		 struct err *e);

/* One message with all its data. The texts are valid until listing_shown_free. */
struct shown {
	bool exists;
	int64_t now;
	const char *state;       /* as listing_states; "" = a body in no state (dq-gc --repair) */
	int64_t at;              /* as listed.at; -1 = none */
	int64_t priority;
	struct tries tries;
	int64_t delivery_due;    /* due time of the last delivery, -1 = none */
	int64_t again;           /* due time after this delivery,
	                          * if a put has rescheduled the message; -1 = none has */
	int64_t first_due;       /* of a message that failed, or was given back: when it was due
	                          * for the first time; -1 = it was not */
	int64_t failures;        /* so many tries in a row have failed */
	const char *reason;
	size_t reason_len;
	const char *holder;      /* as listed.holder */
	size_t holder_len;
	const char *header;      /* the options that differ from the defaults: see header.h */
	size_t header_len;
	int64_t bytes;           /* of the payload */
	const char *payload;     /* "" unless asked for */
	size_t payload_len;
	int64_t reserved_until;  /* only if there is no such message: the id is reserved,
	                          * or has an outcome; else -1 */
	struct outcome outcome;
	struct call call;
};
int listing_show(struct queue *q, const char *id, bool payload, struct shown *out, struct err *e);
void listing_shown_free(struct shown *shown);

/* listing_show_begin begins to ask for a message without its payload, so that several are asked for
 * together; listing_show_end waits, and returns as listing_show. The id is borrowed until then. */
void listing_show_begin(struct queue *q, const char *id, struct call *call);
int listing_show_end(struct queue *q, const char *id, struct call *call, struct shown *out,
		     struct err *e);

#endif
