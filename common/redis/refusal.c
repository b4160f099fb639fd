#include "redis/refusal.h"

#include <hiredis.h>
#include <string.h>

static const struct {
	const char *begins;
	enum refusal means;
	bool cluster;
} table[] = {
	{"NOSCRIPT ", REFUSAL_NOSCRIPT, false}, {"MOVED ", REFUSAL_MOVED, true},     {"ASK ", REFUSAL_ASK, true},
	{"TRYAGAIN ", REFUSAL_MOVING, true},    {"LOADING ", REFUSAL_LATER, false},  {"CLUSTERDOWN ", REFUSAL_LOST, true},
	{"READONLY ", REFUSAL_LOST, false},     {"MASTERDOWN ", REFUSAL_LOST, false},
};

static int find(const struct redisReply *reply)
{
	if (!reply || reply->type != REDIS_REPLY_ERROR)
		return -1;
	for (int i = 0; i < (int)(sizeof table / sizeof *table); i++)
		if (!strncmp(reply->str, table[i].begins, strlen(table[i].begins)))
			return i;
	return -1;
}

enum refusal refusal_of(const struct redisReply *reply)
{
	int i = find(reply);

	return i < 0 ? REFUSAL_NONE : table[i].means;
}

bool refusal_is_of_a_cluster(const struct redisReply *reply)
{
	int i = find(reply);

	return i >= 0 && table[i].cluster;
}

int refusal_where(const struct redisReply *reply, unsigned *slot, struct url_host *out)
{
	const char *at = strchr(reply->str, ' ') + 1;
	size_t digits = strspn(at, "0123456789");
	const char *host = at + digits + 1, *colon = strrchr(at, ':');
	int number = url_number(at, digits, SLOTS - 1), port;
	size_t len;

	if (number < 0 || at[digits] != ' ' || !colon || colon < host)
		return -1;
	len = (size_t)(colon - host);
	port = url_number(colon + 1, strlen(colon + 1), 65535);
	if (len == 1 && *host == '?')
		len = 0;
	if (port < 1 || len >= sizeof out->name || (len > 0 && !url_host_name(host, len)))
		return -1;
	memset(out, 0, sizeof *out);
	memcpy(out->name, host, len);
	out->port = port;
	*slot = (unsigned)number;
	return 0;
}
