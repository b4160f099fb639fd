#include "redis/url_hosts.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/percent.h"

struct span {
	const char *at;
	size_t len;
};

static int usage(struct err *e, const char *why)
{
	return err_set(e, DQ_USAGE, "%s", why);
}

/* url_number does not use num_parse, whose message would quote what may be a password in
 * the wrong place. */
int url_number(const char *s, size_t len, int max)
{
	int n = 0;

	if (len == 0 || (len > 1 && s[0] == '0'))
		return -1;
	for (size_t i = 0; i < len; i++) {
		int digit = s[i] - '0';

		if (digit < 0 || digit > 9 || n > (max - digit) / 10)
			return -1;
		n = n * 10 + digit;
	}
	return n;
}

bool url_host_name(const char *s, size_t len)
{
	char name[sizeof ((struct url_host *)0)->name];
	struct in6_addr address;

	if (len == 0 || len >= sizeof name || memchr(s, 0, len))
		return false;
	memcpy(name, s, len);
	name[len] = 0;
	return strspn(name, PERCENT_UNRESERVED) == len || inet_pton(AF_INET6, name, &address) == 1;
}

/* cut_zone takes the zone of a link-local address off, which a URL has as %25eth0 (RFC 6874), or as
 * it is. Returns it, without the percent sign; of no length: there is none. */
static struct span cut_zone(struct span *name)
{
	const char *percent = memchr(name->at, '%', name->len);
	struct span zone = {percent, 0};

	if (!percent)
		return zone;
	zone.at = percent + (strncmp(percent, "%25", 3) ? 1 : 3);
	zone.len = (size_t)(name->at + name->len - zone.at);
	name->len = (size_t)(percent - name->at);
	return zone;
}

static int add_zone(struct span zone, struct url_host *out, struct err *e)
{
	size_t len = strlen(out->name);

	if (!zone.at)
		return 0;
	if (zone.len == 0 || len + 1 + zone.len >= sizeof out->name)
		return usage(e, "behind the % of an IPv6 address belongs an interface");
	out->name[len] = '%';
	memcpy(out->name + len + 1, zone.at, zone.len);
	out->name[len + 1 + zone.len] = 0;
	if (strspn(zone.at, PERCENT_UNRESERVED) < zone.len)
		return usage(e, "behind the % of an IPv6 address belongs an interface");
	return 0;
}

static int parse_name(struct span name, bool ipv6, struct url_host *out, struct err *e)
{
	struct span zone = {NULL, 0};

	if (name.len >= sizeof out->name)
		return err_set(e, DQ_USAGE, "the host is %zu bytes long, at most %zu are possible",
			       name.len, sizeof out->name - 1);
	if (ipv6)
		zone = cut_zone(&name);
	memcpy(out->name, name.at, name.len);
	if (ipv6 && (!url_host_name(name.at, name.len) || !memchr(name.at, ':', name.len)))
		return usage(e, "between [ and ] belongs an IPv6 address");
	if (!ipv6 && strspn(out->name, PERCENT_UNRESERVED) != name.len)
		return usage(e, "the host has a byte that no host name has (an IPv6 address "
				"belongs in [ ])");
	return add_zone(zone, out, e);
}

static int parse_port(struct span port, struct url_host *out, struct err *e)
{
	if (port.len == 0)
		return 0;
	out->port = port.at[0] == ':' ? url_number(port.at + 1, port.len - 1, 65535) : -1;
	return out->port < 1 ? usage(e, "after the host belongs :port, from 1 to 65535") : 0;
}

static int parse_host(struct span host, int port, struct url_host *out, struct err *e)
{
	bool ipv6 = host.len > 0 && host.at[0] == '[';
	const char *end = memchr(host.at, ipv6 ? ']' : ':', host.len);
	size_t len = end == NULL ? host.len : (size_t)(end - host.at);

	out->port = port;
	if (ipv6 && end == NULL)
		return usage(e, "a [ without its ] in the host");
	if (parse_name((struct span){ host.at + ipv6, len - ipv6 }, ipv6, out, e) < 0)
		return -1;
	len += ipv6;
	return parse_port((struct span){ host.at + len, host.len - len }, out, e);
}

int url_host_parse(const char *s, size_t len, int default_port, struct url_host *out, struct err *e)
{
	if (parse_host((struct span){ s, len }, default_port, out, e) < 0)
		return -1;
	if (!out->name[0])
		strcpy(out->name, "127.0.0.1");
	return 0;
}

int url_hosts_parse(const char *s, size_t len, int default_port, struct url_hosts *out,
		    struct err *e)
{
	const char *end = s + len;

	for (struct span host = { s, 0 }; host.at <= end; host.at += host.len + 1) {
		const char *comma = memchr(host.at, ',', (size_t)(end - host.at));

		host.len = (size_t)((comma ? comma : end) - host.at);
		if (out->count == URL_HOSTS)
			return err_set(e, DQ_USAGE, "more than %d hosts", URL_HOSTS);
		if (parse_host(host, default_port, &out->at[out->count], e) < 0)
			return -1;
		if (!out->at[out->count++].name[0])
			return usage(e, "each host of several, or of Sentinels, needs its name");
	}
	return 0;
}
