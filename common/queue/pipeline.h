/* pipeline: many items through one script, in calls of up to BATCH_ITEMS_MAX items or QUEUE_BATCH_BYTES, several calls in flight.
 * For scripts that take some fixed arguments, then `width` texts for each item, and answer a letter for each item.
 *
 * A connection lost with calls in flight is opened anew, for as long as conf.wait.timeout of the connection, and those calls are
 * sent again (unless conf.single), marked as repeats: conf.repeat replaces the fixed argument repeat_at (for scripts that can
 * tell), and each() is told, since "no such message" may then be the echo of an answer that was lost. */
#ifndef DQ_PIPELINE_H
#define DQ_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "queue/batch.h"
#include "redis/session.h"

#define PIPELINE_FIXED_MAX 6
#define PIPELINE_WINDOW 8 /* calls in flight */
#define PIPELINE_OPEN_MAX 100 /* queues whose items are gathered at once */

/* How one item ended. letter is the script's. */
struct pipeline_result {
	const struct queue *queue;
	size_t number;  /* of the item, from 0, in the order of sending: with one queue, of adding */
	const char *id; /* the item's first text; NUL-ended */
	const char *second; /* its second text, NUL-ended; "" if width is 1 */
	char letter;
	bool repeated;  /* the call was sent twice: the first may have been done */
};

struct pipeline_conf {
	const struct script *script;
	int width;
	int once;               /* as in batch_build */
	int fixed_count;
	const char *fixed[PIPELINE_FIXED_MAX]; /* borrowed for the bulk's life */
	int repeat_at;          /* index in fixed, or -1 */
	const char *repeat;
	const char *letters;    /* that the script may answer */
	bool single;            /* a call that may have been done is not sent again: done twice it would do harm */
	bool lists;             /* the script is put: its queue is listed before each() is told, where the answer asks for that */
	void (*each)(void *ctx, const struct pipeline_result *result);
	/* refused: a whole call of n items was refused; nothing of it was done unless e->fate says unknown. n is 0 where only
	 * the queue's name could not be listed. */
	void (*refused)(void *ctx, const struct queue *queue, size_t n, const struct err *e);
	void *ctx;
};

/* A queue on its way into the registry: see registry.h. A batch that was sent before one of these ended, and answers with the same
 * generation, needs none of its own. */
struct pipeline_listing {
	enum { LISTING_NONE, LISTING_ADD, LISTING_TELL } step; /* under way: its call */
	struct queue *queue;
	char generation[NAME_TOKEN_MAX + 1];
	struct call call;
	unsigned ended;          /* how many ended so far */
};

struct pipeline {
	struct pipeline_conf conf;
	struct conn *conn;
	struct batch *open;             /* being gathered, one a queue; the one added to last comes first */
	int open_count;
	struct batch *first, **last;    /* in flight, in order */
	struct batch *spare;
	size_t launched;                /* items */
	int in_flight;
	struct session session;
	struct wait wait;                    /* of its exchanges; until is set once it was stopped */
	int64_t retry_until;                 /* clock_ms until which a lost connection may come to an answer again; 0 = all is well */
	struct pipeline_listing listing;         /* of the first batch's queue */
	size_t unanswered, unsent;           /* items; set when a function below failed: unknown, and certainly not done */
	char object[2 * NAME_MAX_BYTES + 32]; /* and these: a message, a queue or more, and ": "; "" = there are none */
};

void pipeline_init(struct pipeline *b, struct conn *conn, const struct pipeline_conf *conf);

/* pipeline_add gathers one item (copied) and sends when a batch is full, waiting for answers when the window is. q must outlive
 * the bulk. Fails when the connection is lost for good (see e->status), was stopped, or memory is out: then pipeline_wind_up
 * tells what is unknown. An error reply is no failure here: refused() hears of it. */
int pipeline_add(struct pipeline *b, struct queue *q, const char *const texts[], const size_t lens[], struct err *e);

/* pipeline_finish sends what is gathered and waits for all answers; the bulk can be used on. */
int pipeline_finish(struct pipeline *b, struct err *e);

/* pipeline_wind_up is for after a failure. Stopped by a signal: what was gathered is sent, and all of the answers get not quite a second
 * in which no connection is opened anew; true if all came. Otherwise what has no answer is counted into unanswered (sent: unknown)
 * and unsent (certainly not done). */
bool pipeline_wind_up(struct pipeline *b, const struct err *e);
void pipeline_free(struct pipeline *b);

#endif
