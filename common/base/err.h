/* err: a failure, as a status and a sentence. Nothing in this layer prints or exits. */
#ifndef DQ_ERR_H
#define DQ_ERR_H

#include <stdbool.h>
#include <stdint.h>

/* The exit statuses of every tool, and the statuses of struct err. The table in dq(7) mirrors this
 * list. With several operands the greatest status counts. */
enum status {
	DQ_DONE = 0,
	DQ_NO = 1,           /* the answer is no: nothing due, id unknown or taken,
	                      * receipt no longer valid */
	DQ_USAGE = 64,       /* options, operands, URL */
	DQ_DATA = 65,        /* an input record, or a payload that the output format cannot carry */
	DQ_UNAVAILABLE = 69, /* Redis cannot be reached: nothing was done */
	DQ_INTERNAL = 70,    /* a bug, an unexpected reply, a key of a foreign type */
	DQ_IO = 74,          /* reading or writing a file or standard stream */
	DQ_TEMPORARY = 75,   /* connection lost, LOADING, OOM, READONLY...: may be tried again */
	DQ_AUTH = 77,        /* NOAUTH, WRONGPASS, NOPERM */
	DQ_CONFIG = 78,      /* the installation: TLS, password file, server too old */
	DQ_STOPPED = 128,    /* a signal asked to stop; the tool adds the signal's number */
	/* only in struct err: a callback failed, has reported why, and keeps the status */
	DQ_REPORTED = -1
};

/* The effect of a failed exchange with Redis. Messages name it. */
enum fate {
	FATE_NOT_DONE, /* it had no effect */
	FATE_UNKNOWN,  /* sent without a reply: it may have had its effect */
	FATE_SHARDS,   /* it had no effect: the queue has another number of shards than the
	                * caller assumed (queue/shards.h) */
	FATE_CLAIM,    /* it had no effect: the load that sent it does not have the queue
	                * (lua/lib/claim.lua) */
	FATE_CLAIM_UNKNOWN, /* the same, but it was sent before, and that may have had its effect */
	FATE_MOVING,   /* it had no effect: the slot of the queue is being moved;
	                * other queues can be served (redis/nodes.h) */
	/* done, but not confirmed by as many replicas, or by the disk,
	 * as requested (base/durable.h) */
	FATE_UNCONFIRMED
};

struct err {
	enum status status;
	enum fate fate;
	bool names_server; /* the text already names the server: do not prefix it */
	char text[400];    /* without newline; foreign bytes in it are escaped already */
};

/* err_fill writes status and text (printf-like; the rest becomes FATE_NOT_DONE and false).
 * e may not be NULL. */
void err_fill(struct err *e, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline int err_failed(void)
{
	return -1;
}

/* err_set is err_fill and returns -1: "return err_set(e, DQ_DATA, ...)" is how a function fails. A
 * macro, so that compilers and analyzers see the -1. */
#define err_set(e, status, ...) (err_fill(e, status, __VA_ARGS__), err_failed())

/* err_reported is err_set for DQ_REPORTED. */
static inline int err_reported(struct err *e)
{
	return err_set(e, DQ_REPORTED, "reported already");
}

/* err_memory is err_set for a failed allocation. */
static inline int err_memory(struct err *e)
{
	return err_set(e, DQ_TEMPORARY, "out of memory");
}

/* err_passes: may the failure be over soon, so that it is worth to try again? */
static inline bool err_passes(const struct err *e)
{
	return e->status == DQ_TEMPORARY || e->status == DQ_UNAVAILABLE;
}

/* err_late is err_set for a deadline that passed ms after it was set;
 * 0 or less: before it was asked. */
int err_late(struct err *e, enum status status, int64_t ms);

#endif
