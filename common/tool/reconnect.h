/* reconnect: what a tool prints when its connection is lost or open again,
 * and it tries until then. */
#ifndef DQ_RECONNECT_H
#define DQ_RECONNECT_H

#include "redis/exchange.h"

/* reconnect_report is the report of a session (redis/session.h). */
void reconnect_report(const struct session *s, enum session_event event, const char *object,
		      const struct err *e);

/* reconnect_tries is the say of an exchange's patience (redis/patience.h). */
void reconnect_tries(const struct patience *p, const struct err *e);

/* reconnect_up opens the connection of the URL if it is lost and the next attempt is due, as
 * session_up. true: a request may be sent now. A signal that asks to stop always ends the opening,
 * whatever wait says: no request is under way that this could interrupt. */
bool reconnect_up(struct exchange *x, const struct wait *wait);

#endif
