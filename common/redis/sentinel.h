/* sentinel: asks one Sentinel where the master is. */
#ifndef DQ_SENTINEL_H
#define DQ_SENTINEL_H

#include "redis/conn.h"

/* sentinel_open connects to the i-th Sentinel of conf.url until wait->until, with its own user and
 * password. Errors as session_open; s is to be closed by conn_close. */
int sentinel_open(struct conn *s, const struct conn_conf *conf, int i, const struct wait *wait,
		  struct err *e);

/* sentinel_master: 1 the master's address, 0 this Sentinel does not know such a master, -1 error.
 * The address is checked before it is returned. */
int sentinel_master(struct conn *s, const struct wait *wait, struct url_host *master,
		    struct err *e);

/* sentinel_quorum: could the Sentinels replace the master? -1: no, or error: *e says why not. */
int sentinel_quorum(struct conn *s, const struct wait *wait, struct err *e);

#endif
