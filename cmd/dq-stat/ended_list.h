/* ended_list: the kept outcomes of a queue, newest first. */
#ifndef DQ_ENDED_LIST_H
#define DQ_ENDED_LIST_H

#include "message/listing.h"

#define ENDED_LIST_MOST 1000 /* of a queue */

/* ended_list reads all outcomes of q, and calls each for the newest ones, of that key (NULL: of
 * all): with the id, and with exists false, as listing_show. The texts are valid during the call of
 * each; less than 0 ends it with DQ_REPORTED. */
int ended_list(struct queue *q, const char *key,
	       int (*each)(void *ctx, const char *id, const struct shown *s), void *ctx,
	       struct err *e);

#endif
