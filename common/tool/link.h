/* link: tells the user that the connection of a tool that goes on is lost, or back. */
#ifndef DQ_LINK_H
#define DQ_LINK_H

#include "redis/session.h"

/* link_report is a session's report. */
void link_report(const struct session *s, enum session_event event, const char *object, const struct err *e);

/* link_up: may Redis be asked something now? As session_up, but a signal that asks to stop ends the opening of a connection whatever
 * wait says: nothing is under way yet that it could cut short. */
bool link_up(struct session *s, const struct wait *wait);

#endif
