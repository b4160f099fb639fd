/* errors: what the error replies of servers, and of the proxies before them, mean. No other module
 * knows their texts. Pure. */
#ifndef DQ_ERRORS_H
#define DQ_ERRORS_H

#include <stdbool.h>

#include "base/err.h"

struct redisReply;

enum error_kind {
	ERROR_NONE, /* no error reply */
	ERROR_OTHER, /* all that no caller tells apart */
	/* these two lines prove that the call did not run */
	ERROR_NOSCRIPT, ERROR_MOVED, ERROR_ASK, ERROR_TRYAGAIN, ERROR_CLUSTERDOWN,
	ERROR_LOADING, ERROR_READONLY, ERROR_MASTERDOWN, ERROR_NOREPLICAS, ERROR_BUSY,
	ERROR_UNBLOCKED, /* of a command that blocks: the server is no master any more */
	ERROR_NOPERM,
	ERROR_SCRIPT_NOPERM, /* of a command that a script runs, before its first write */
	ERROR_NO_WAITAOF, ERROR_NO_AOF, /* of WAITAOF: unknown command; appendonly is off */
	ERROR_CLOCK /* of a script: the server's clock is out of range */
};

struct error_meaning {
	const char *begins;
	enum status status;
	enum fate fate;
	enum error_kind kind;
	const char *hint;  /* precedes the server's words if it ends in a blank, else replaces them;
	                    * NULL: none */
	bool turns_away;   /* if it is the first reply: the server refuses the whole connection */
};

/* errors_words returns where the refusal in a text begins: a refused EXEC quotes it. */
const char *errors_words(const char *text);

/* errors_find returns the meaning of a text, never NULL. An unknown text is DQ_TEMPORARY and
 * FATE_UNKNOWN: mostly a proxy has lost its server, and that server may have run the request. */
const struct error_meaning *errors_find(const char *text);

/* errors_kind: that of a reply, which may be NULL. */
enum error_kind errors_kind(const struct redisReply *reply);

#endif
