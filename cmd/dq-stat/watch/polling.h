/* polling: one poll of all queues, for a watcher. */
#ifndef DQ_POLLING_H
#define DQ_POLLING_H

#include "queue/queue_set.h"
#include "view.h"

/* poll_queues asks for the numbers of those queues (NULL-ended; none = all), and updates
 * v->history. It leaves out a queue that cannot be asked; v->trouble has the reason. Errors are
 * those of the connection, or of the list of queues. */
int poll_queues(struct view *v, struct queue_set *all, char *const *names, struct err *e);

/* poll_due_times asks for the due times of the delayed messages of the queues on the screen. */
int poll_due_times(struct view *v, struct queue_set *all, struct err *e);

/* poll_server asks for name, version and role of the server. A refusal is no error. */
int poll_server(struct view *v, struct exchange *x, struct err *e);

#endif
