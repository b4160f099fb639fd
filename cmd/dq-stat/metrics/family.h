/* family: the family of a Prometheus metric: its name, type and help,
 * and the lines that head its samples. Pure. */
#ifndef DQ_FAMILY_H
#define DQ_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define FAMILIES 50

/* In the order of the output. From FAMILY_COUNTERS to FAMILIES each family is a
 * counter of queues. */
enum {
	FAMILY_QUEUES,
	FAMILY_MESSAGES,
	FAMILY_EXPIRED,
	FAMILY_PAUSED,
	FAMILY_LIMITED,
	FAMILY_USED_UP,
	FAMILY_MAX_LEASED,
	FAMILY_RATE,
	FAMILY_RATE_SPAN,
	FAMILY_BEGUN,
	FAMILY_MAX_LEN,
	FAMILY_SERIAL,
	FAMILY_KEY_LIMIT,
	FAMILY_UNTIL,
	FAMILY_OLDEST,
	FAMILY_FREE,
	FAMILY_BLOCKED,
	FAMILY_PAUSED_KEYS,
	FAMILY_PAUSED_MESSAGES,
	FAMILY_LATE,
	FAMILY_RETRYING,
	FAMILY_FAILING,
	FAMILY_HELD,
	FAMILY_NEXT_DUE,
	FAMILY_LATENESS,
	FAMILY_WRITTEN,
	FAMILY_SERVER,
	FAMILY_CLOCK,
	FAMILY_UPTIME,
	FAMILY_MEMORY,
	FAMILY_MEMORY_MAX,
	FAMILY_CLIENTS,
	FAMILY_CLIENTS_MAX,
	FAMILY_SLOTS_OF_NODE,
	FAMILY_SLOTS_OF_NONE,
	FAMILY_COUNTERS
};

struct family {
	const char *name, *type, *help;
	/* the counter of a queue (counts_counter); NULL: the samples come from elsewhere */
	const char *counter;
};

/* family_at: family is below FAMILIES. */
const struct family *family_at(size_t family);

/* family_is_of_queues: has it samples of each queue? */
bool family_is_of_queues(size_t family);

/* family_head adds the lines HELP and TYPE: 0, or -1 if memory is out. */
int family_head(size_t family, struct buf *out);

#endif
