/* look: one look at all queues, for a watcher. */
#ifndef DQ_LOOK_H
#define DQ_LOOK_H

#include "queue/queue_set.h"
#include "view.h"

/* look_around asks for the numbers of those queues (NULL-ended; none = all), and goes on with v->tracks. A queue that cannot be asked is
 * left out, and v->trouble says so. Errors are those of the connection, or of the list of queues. */
int look_around(struct view *v, struct queue_set *all, char *const *names, struct err *e);

/* look_ahead asks when the delayed messages of the queues on the screen are due. */
int look_ahead(struct view *v, struct queue_set *all, struct err *e);

/* look_server asks who answers. A refusal is no error. */
int look_server(struct view *v, struct conn *conn, struct err *e);

#endif
