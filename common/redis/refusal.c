#include "redis/refusal.h"

#include <hiredis.h>
#include <string.h>

#include "redis/errors.h"

enum refusal refusal_of(const struct redisReply *reply)
{
	switch (errors_kind(reply)) {
	case ERROR_NOSCRIPT:
		return REFUSAL_NOSCRIPT;
	case ERROR_MOVED:
		return REFUSAL_MOVED;
	case ERROR_ASK:
		return REFUSAL_ASK;
	case ERROR_TRYAGAIN:
		return REFUSAL_MOVING;
	case ERROR_LOADING:
		return REFUSAL_LATER;
	case ERROR_CLUSTERDOWN:
	case ERROR_READONLY:
	case ERROR_MASTERDOWN:
		return REFUSAL_LOST;
	default:
		return REFUSAL_NONE;
	}
}

bool refusal_is_of_a_cluster(const struct redisReply *reply)
{
	enum error_kind kind = errors_kind(reply);

	return kind == ERROR_MOVED || kind == ERROR_ASK || kind == ERROR_TRYAGAIN ||
	       kind == ERROR_CLUSTERDOWN;
}

int refusal_where(const struct redisReply *reply, unsigned *slot, struct url_host *out)
{
	const char *at = strchr(errors_words(reply->str), ' ') + 1;
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
