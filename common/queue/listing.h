/* listing: looks at messages without moving them. */
#ifndef DQ_LISTING_H
#define DQ_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/queue.h"

/* The states as users name them; listing_state says whether a text is one. due is the part of delayed that is due by now. */
bool listing_state(const char *text);
extern const char *const listing_states[]; /* delayed due ready leased dead NULL */

/* Several states in one text, with commas between: listing_states_valid says whether it is that, and returns how many there are (0:
 * no); listing_among, whether a state is one of them, or list is ""; listing_words writes them as a sentence does: "due or ready". */
int listing_states_valid(const char *list);
bool listing_among(const char *list, const char *state);
char *listing_words(const char *list, char out[64]);

/* One message of a page. Texts live as long as the call of each. */
struct listed {
	const char *id;
	int64_t at;         /* server's ms: due time, end of the lease, or time of death */
	int64_t tries;      /* deliveries so far */
	int64_t due;        /* when it is due; of the leased and the dead, when the last delivery was; -1 = none */
	const char *reason; /* last one; "" = none */
	size_t reason_len;
};

/* listing_page calls each with the messages of that state ranked skip..skip+limit-1 (limit 1..QUEUE_CALL_MAX). *n is how many there
 * were: less than limit means the end. each returns less than 0 to stop; then so does this: DQ_SAID. A page is
 * one moment's view; between pages messages move. An id that a foreign hand wrote counts and is passed over; the first one of
 * a queue is noted in q->notice, and q->foreign set. */
int listing_page(struct queue *q, const char *state, int64_t skip, int limit, int (*each)(void *ctx, const struct listed *m),
		 void *ctx, int64_t *n, struct err *e);

/* listing_passes_over: is it an id that no tool could name? Then it is noted as above; state: where it was found. */
bool listing_passes_over(struct queue *q, const char *state, const char *id, size_t len);

/* Where a listing has come to; zero-initialise to start, buf_free at the end. Unlike a rank it stays valid while messages that were
 * listed go, so that what is listed may be removed or moved at the same time. */
struct listing_place {
	struct buf text;
};

/* listing_next is listing_page from a place on, which it moves behind the last one. */
int listing_next(struct queue *q, const char *state, struct listing_place *place, int limit,
		 int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n, struct err *e);

/* One message, all that is known of it. Texts live until listing_shown_free. */
struct shown {
	bool exists;
	int64_t now;
	const char *state;       /* as listing_states; "" = a body in no state (dq-gc --repair) */
	int64_t at;              /* as listed.at; -1 = none */
	int64_t priority, tries;
	int64_t delivery_due;    /* due time of the last delivery, -1 = none */
	int64_t again;           /* when it is due after this delivery, since a put asked for it meanwhile; -1 = none did */
	const char *reason;
	size_t reason_len;
	const char *header;      /* the options that differ from the defaults: see header.h */
	size_t header_len;
	int64_t bytes;           /* of the payload */
	const char *payload;     /* "" unless asked for */
	size_t payload_len;
	struct call call;
};
int listing_show(struct queue *q, const char *id, bool payload, struct shown *out, struct err *e);
void listing_shown_free(struct shown *shown);

#endif
