/* registration: the steps that add a queue to the registry (registry.h) after a put replied that it is not listed. */
#ifndef DQ_REGISTRATION_H
#define DQ_REGISTRATION_H

#include "queue/queue.h"

/* Zero-initialise; registration_free at the end. */
struct registration {
	enum { REGISTRATION_NONE, REGISTRATION_ADD, REGISTRATION_NOTE } step; /* the current step; call is its call */
	struct queue *queue;
	char generation[NAME_TOKEN_MAX + 1];
	bool added;     /* the first step added a new name: the next one announces it to watching tools */
	struct conn *conn; /* on which its call was sent */
	bool stranded;     /* conn was lost before the reply came; the owner sets this and the next one */
	int64_t retry_at;  /* clock_ms: then it may be sent again */
	struct call call;
	unsigned ended; /* how many ended so far */
};

/* registration_needed: must the queue be listed with that generation? sent_at: the value of `ended` when the put was sent. Not if a
 * registration with the same generation has ended since. registration_begin starts the first step, which the caller sends; the generation
 * has at most NAME_TOKEN_MAX bytes. */
bool registration_needed(const struct registration *r, const char *generation, unsigned sent_at);
void registration_begin(struct registration *r, struct queue *q, const char *generation);

/* registration_again: the connection was lost. The next one may lead to another server whose list lacks the name, although the first step
 * had a reply. So the first step is repeated. registration_send sends the current step. */
void registration_again(struct registration *r);
int registration_send(struct registration *r, struct conn *conn, struct err *e);

/* registration_next handles the reply to a step. 1: the caller sends the next step. 0: it has ended. -1: the server refused (*e); the
 * caller reports that and ends it: the next put tries again. */
int registration_next(struct registration *r, struct err *e);
void registration_end(struct registration *r);
void registration_free(struct registration *r);

#endif
