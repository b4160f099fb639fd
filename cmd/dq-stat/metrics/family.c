#include "family.h"

static const struct family families[] = {
	[FAMILY_QUEUES] = {"dq_queues", "gauge", "Queues that are shown.", NULL},
	[FAMILY_MESSAGES] = {"dq_queue_messages", "gauge", "Messages of the queue, by state.",
		NULL},
	[FAMILY_EXPIRED] = {"dq_queue_expired_messages", "gauge",
		"Expired messages among the delayed, due and ready.", NULL},
	[FAMILY_PAUSED] = {"dq_queue_paused", "gauge", "1 if consumers of the queue get nothing.",
		NULL},
	[FAMILY_LIMITED] = {"dq_queue_limited", "gauge",
		"1 if a rate, max-leased or keys hold messages back.", NULL},
	[FAMILY_USED_UP] = {"dq_queue_used_up", "gauge",
		"1 if the consumers of the queue use a rate or max-leased up.", NULL},
	[FAMILY_MAX_LEASED] = {"dq_queue_max_leased_messages", "gauge",
		"At most so many messages are leased at once.", NULL},
	[FAMILY_RATE] = {"dq_queue_rate_deliveries", "gauge",
		"At most so many deliveries begin in any dq_queue_rate_seconds.", NULL},
	[FAMILY_RATE_SPAN] = {"dq_queue_rate_seconds", "gauge",
		"The span of dq_queue_rate_deliveries.", NULL},
	[FAMILY_BEGUN] = {"dq_queue_begun_deliveries", "gauge",
		"Deliveries that began in the last dq_queue_rate_seconds.", NULL},
	[FAMILY_MAX_LEN] = {"dq_queue_max_messages", "gauge",
		"With so many messages the queue takes no further one.", NULL},
	[FAMILY_SERIAL] = {"dq_queue_keys_serial", "gauge",
		"1 if only the first message of each key is delivered, else 0.", NULL},
	[FAMILY_KEY_LIMIT] = {"dq_queue_key_leased_messages", "gauge",
		"At most so many messages of a key are leased at once.", NULL},
	[FAMILY_UNTIL] = {"dq_queue_limited_until_timestamp_seconds", "gauge",
		"When a limit lets the next message through.", NULL},
	[FAMILY_OLDEST] = {"dq_queue_oldest_ready_seconds", "gauge",
		"How long the oldest ready message has been due; 0: none.", NULL},
	[FAMILY_FREE] = {"dq_queue_oldest_free_seconds", "gauge",
		"The same of the ready messages that no key holds back.", NULL},
	[FAMILY_BLOCKED] = {"dq_queue_blocked_seconds", "gauge",
		"The same of the ready messages whose keys are blocked.", NULL},
	[FAMILY_PAUSED_KEYS] = {"dq_queue_paused_keys", "gauge",
		"Keys that are paused, and have ready messages.", NULL},
	[FAMILY_PAUSED_MESSAGES] = {"dq_queue_paused_key_messages", "gauge",
		"Ready messages of paused keys.", NULL},
	[FAMILY_LATE] = {"dq_queue_late_seconds", "gauge",
		"How long the oldest due message, not yet ready, has been due; 0: none.", NULL},
	[FAMILY_RETRYING] = {"dq_queue_retrying_messages", "gauge",
		"Messages that failed, and are neither done nor dead yet.", NULL},
	[FAMILY_FAILING] = {"dq_queue_failing_seconds", "gauge",
		"How long ago the oldest of them was due first; 0: none.", NULL},
	[FAMILY_HELD] = {"dq_queue_held_messages", "gauge",
		"Delayed messages that are held: not due until they are promoted.", NULL},
	[FAMILY_NEXT_DUE] = {"dq_queue_next_due_timestamp_seconds", "gauge",
		"When the next delayed message is due.", NULL},
	[FAMILY_LATENESS] = {"dq_delivery_lateness_seconds", "histogram",
		"How late deliveries were; there is no sum.", NULL},
	[FAMILY_WRITTEN] = {"dq_metrics_timestamp_seconds", "gauge",
		"When these metrics were read, by the clock of dq-stat.", NULL},
	[FAMILY_SERVER] = {"dq_server_info", "gauge", "The server that answered.", NULL},
	[FAMILY_CLOCK] = {"dq_server_clock_offset_seconds", "gauge",
		"How far the server's clock is ahead of the local one.", NULL},
	[FAMILY_UPTIME] = {"dq_server_uptime_seconds", "gauge",
		"How long the server has been running.", NULL},
	[FAMILY_MEMORY] = {"dq_server_memory_used_bytes", "gauge", "Memory that the server uses.",
		NULL},
	[FAMILY_MEMORY_MAX] = {"dq_server_memory_max_bytes", "gauge",
		"maxmemory of the server; 0: no limit.", NULL},
	[FAMILY_CLIENTS] = {"dq_server_connected_clients", "gauge", "Connections of the server.",
		NULL},
	[FAMILY_CLIENTS_MAX] = {"dq_server_max_clients", "gauge", "maxclients of the server.",
		NULL},
	[FAMILY_SLOTS_OF_NODE] = {"dq_server_slots", "gauge",
		"Slots of the cluster that this node has.", NULL},
	[FAMILY_SLOTS_OF_NONE] = {"dq_cluster_unassigned_slots", "gauge",
		"Slots of the cluster that no node has.", NULL},
	[FAMILY_COUNTERS] = {"dq_messages_put_total", "counter", "Messages put.", "put"},
	{"dq_messages_promoted_total", "counter", "Messages made ready because they were due.",
	 "promoted"},
	{"dq_messages_taken_total", "counter", "Deliveries.", "taken"},
	{"dq_messages_acked_total", "counter", "Deliveries that succeeded.", "acked"},
	{"dq_messages_retried_total", "counter", "Deliveries that failed and are tried again.",
	 "retried"},
	{"dq_messages_given_back_total", "counter", "Deliveries that were given back.",
	 "given_back"},
	{"dq_messages_removed_total", "counter", "Messages removed.", "removed"},
	{"dq_messages_redriven_total", "counter", "Dead messages made ready again.", "redriven"},
	{"dq_messages_purged_total", "counter", "Dead messages purged.", "purged"},
	{"dq_messages_dead_total", "counter", "Messages that became dead.", "dead"},
	{"dq_messages_expired_total", "counter", "Expired messages removed.", "expired"},
	{"dq_messages_rescheduled_total", "counter",
	 "Puts that changed the time of a message, or replaced it.", "rescheduled"},
	{"dq_leases_extended_total", "counter", "Leases extended.", "extended"},
	{"dq_leases_released_total", "counter", "Leases ended by an operator.", "released"},
	{"dq_leases_expired_total", "counter", "Leases that expired.", "expired_leases"},
};

_Static_assert(sizeof families / sizeof *families == FAMILIES, "FAMILIES counts them");

const struct family *family_at(size_t family)
{
	return &families[family];
}

bool family_is_of_queues(size_t family)
{
	return (family >= FAMILY_MESSAGES && family <= FAMILY_LATENESS) ||
	       family >= FAMILY_COUNTERS;
}

int family_head(size_t family, struct buf *out)
{
	const struct family *f = &families[family];

	return buf_format(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, f->type);
}
