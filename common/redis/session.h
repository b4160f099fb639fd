/* session: opens connections whole (greet; where there is a choice, place), and opens lost ones
 * again. This is the one place that decides when to try again, and when to report that a connection
 * is lost, or back. */
#ifndef DQ_SESSION_H
#define DQ_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reasons.h"
#include "redis/conn.h"
#include "redis/place.h"

#define SESSION_LEAST 200 /* ms that a try gets, however little time is left */

enum session_event {
	SESSION_LOST, /* it will be tried again; once for each reason, until it is back */
	SESSION_BACK, /* an exchange was good again */
	SESSION_OVER, /* no further try: for example, the password is wrong */
	/* of a cluster: the slot of object is being moved;
	 * the connection is as it should be (nodes.h) */
	SESSION_MOVING,
	SESSION_MOVED /* it was moved */
};

/* A connection that is opened again when it is lost. Zero-initialise, and set conn. */
struct session {
	struct conn *conn;
	struct place place;
	int64_t pause;      /* ms, grows with each failed try; 0 = the last exchange was good */
	int64_t kept;       /* ms: the pause before the last good exchange. A connection that is
	                     * lost soon after it was opened goes on with it */
	bool unsteady;      /* that has happened: it is back when a connection lasts */
	int64_t retry_at;   /* clock_ms of the next try */
	enum status status; /* not DQ_DONE: it is over, for this reason */
	bool quiet;         /* report nothing but SESSION_OVER */
	bool told;          /* that it is lost was said elsewhere: as quiet,
	                     * until an exchange is good */
	struct reasons reasons; /* reported since the loss */
	/* session_say calls it, unless quiet. object is as of session_lost. NULL: no reports. */
	void (*report)(const struct session *s, enum session_event event, const char *object,
		       const struct err *e);
};

/* session_lasts: has the connection been open for so long that a loss is a new one? */
#define SESSION_LASTS 2000 /* ms */
bool session_lasts(const struct conn *c);

/* session_open connects anew, closing what was open, within conf.connect_timeout and wait.until
 * (wait NULL: conf.wait). If a server or a Sentinel refuses the password, and conf.password_again
 * finds another one, that is tried, too. Errors: DQ_UNAVAILABLE, DQ_AUTH, DQ_CONFIG, DQ_TEMPORARY
 * (LOADING, BUSY...), DQ_STOPPED, DQ_INTERNAL. All are FATE_NOT_DONE. */
int session_open(struct session *s, const struct wait *wait, struct err *e);

/* session_lost: an exchange about object, a queue or a message (NULL: about none), failed with *e.
 * The connection is closed in any case, because a new one shows the state of the server better.
 * After any other error than DQ_TEMPORARY and DQ_UNAVAILABLE the session is over. DQ_STOPPED is no
 * error of the server. */
void session_lost(struct session *s, const char *object, const struct err *e);

/* session_up opens the connection if it is closed and retry_at has come. 1: it is open; 0: not now;
 * -1: a signal asks to stop (DQ_STOPPED), or the session is over. */
int session_up(struct session *s, const struct wait *wait, struct err *e);

/* session_again, after session_lost, tries until session_up is 1: 0. Or -1: wait.until
 * passed (*e is left as it is; the last try is made at that time, each gets what is left until
 * then), DQ_STOPPED, or the reason why it is over. */
int session_again(struct session *s, const struct wait *wait, struct err *e);

/* session_insist is session_again, but *e is the last failure. */
int session_insist(struct session *s, const struct wait *wait, struct err *e);

void session_say(struct session *s, enum session_event event, const char *object,
		 const struct err *e);

/* session_answered: an exchange was good. A server that answers and closes again and again is
 * reported as lost twice, and as back when a connection lasts. */
void session_answered(struct session *s);

#endif
