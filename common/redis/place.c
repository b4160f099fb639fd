#include "redis/place.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/errors.h"
#include "redis/greet.h"
#include "redis/sentinel.h"
#include "redis/url_text.h"

#define SENTINEL_MS 300 /* for one of several Sentinels, in the first round */
#define TEXT_MOST 130   /* bytes of one error in a sentence with those of others */

struct search {
	struct conn *c;
	struct place *place;
	const struct wait *wait;
	char errors[300]; /* the errors of all servers that were tried */
	int asked, unknown; /* of Sentinels: asked: replied or failed;
	                     * unknown: do not know the master */
	struct url_host named; /* named by a Sentinel, and tried */
	bool late;             /* it is to be tried again, if there is time */
	char by[URL_HOST_TEXT + 30]; /* which Sentinel named it */
	enum status status; /* the worst failure by rank */
	bool nodes[URL_HOSTS]; /* hosts that are replicas of a cluster */
};

/* rank: a server that is reached but no master may recover by itself. Worse is what an operator
 * must repair; least is an unreachable server. */
static int rank(enum status status)
{
	switch (status) {
	case DQ_TEMPORARY:
		return 4;
	case DQ_AUTH:
		return 3;
	case DQ_CONFIG:
		return 2;
	case DQ_INTERNAL:
		return 1;
	default:
		return 0;
	}
}

/* cut returns how much of text to show: all n bytes, or, if they are too many, whole words. */
static int cut(const char *text, size_t n)
{
	int end = TEXT_MOST;

	if (n <= TEXT_MOST)
		return (int)n;
	while (end > 0 && text[end] != ' ')
		end--;
	return end > 0 ? end : TEXT_MOST;
}

/* note adds "WHO (TEXT)" to s->errors. */
static void note(struct search *s, const struct url_host *who, const char *by, const struct err *e)
{
	size_t len = strlen(s->errors), room = sizeof s->errors - len;
	/* without the URL, which repeats host */
	const char *tail = e->names_server ? strstr(e->text, " (redis") : NULL;
	size_t n = tail ? (size_t)(tail - e->text) : strlen(e->text);
	int shown = cut(e->text, n);
	char host[URL_HOST_TEXT];

	if (rank(e->status) > rank(s->status))
		s->status = e->status;
	url_host_shown(who, host);
	if ((size_t)snprintf(s->errors + len, room, "%s%s%s (%.*s%s)", len ? ", " : "", host, by,
			     shown, e->text, (size_t)shown < n ? "..." : "") >= room)
		strcpy(s->errors + (len > sizeof s->errors - 4 ? sizeof s->errors - 4 : len),
		       "...");
}

/* until returns a wait of ms, at most for the time left. */
static struct wait until(const struct wait *wait, int64_t ms)
{
	int64_t now = clock_ms();
	struct wait w = *wait;

	w.until = clock_sooner(now + ms, wait->until);
	w.timeout = w.until > now ? w.until - now : 0;
	return w;
}

static int64_t left(const struct search *s)
{
	int64_t now = clock_ms();

	return s->wait->until > now ? s->wait->until - now : 0;
}

/* is_late: that server did not answer in its share of the time, w. With more it may: there is some
 * left, which the others have not used. */
static bool is_late(const struct search *s, const struct wait *w, const struct err *e)
{
	return e->status == DQ_UNAVAILABLE && clock_ms() >= w->until && left(s) > 0;
}

/* attempt: is there a master, or what is wanted, at that address? Returns 1, 0,
 * or -1 if stopped. *late: it may reply if it gets more time; NULL: there is no more time. */
static int attempt(struct search *s, const struct url_host *host, enum greet_wanted wanted,
		   int64_t ms, const char *by, bool *late, struct err *e)
{
	const struct wait w = until(s->wait, ms);

	s->c->conf.url.server = *host;
	if (greet_open(s->c, wanted, &w, e) == 0)
		return 1;
	if (e->status == DQ_STOPPED)
		return -1;
	if (late && is_late(s, &w, e))
		*late = true;
	else
		note(s, host, by, e);
	return 0;
}

/* host_at: the k-th host to try. */
static int host_at(const struct search *s, int k)
{
	return (s->place->last + k) % s->c->conf.url.hosts.count;
}

/* try_nodes: no host is a master, but a replica of a cluster knows where the masters are. */
static int try_nodes(struct search *s, int replicas, struct err *e)
{
	const struct url *u = &s->c->conf.url;
	int found = 0;

	for (int k = 0; replicas > 0 && found == 0 && k < u->hosts.count; k++) {
		int i = host_at(s, k);

		if (!s->nodes[i])
			continue;
		found = attempt(s, &u->hosts.at[i], GREET_NODE, left(s) / replicas--, "", NULL, e);
		if (found > 0)
			s->place->last = i;
	}
	return found;
}

/* try_late_hosts: what is left of the time when the others have failed is for those that were
 * late. */
static int try_late_hosts(struct search *s, enum greet_wanted wanted, const bool late[],
			  int late_ones, struct err *e)
{
	const struct url *u = &s->c->conf.url;
	int found = 0;

	for (int k = 0; late_ones > 0 && found == 0 && k < u->hosts.count; k++) {
		int i = host_at(s, k);

		if (!late[i])
			continue;
		found = attempt(s, &u->hosts.at[i], wanted, left(s) / late_ones--, "", NULL, e);
		if (found > 0)
			s->place->last = i;
	}
	return found;
}

/* try_hosts gives each host a share of the time, because a dead one must not use all of it. Once it
 * is known that this is a cluster, a replica is as good as a master. */
static int try_hosts(struct search *s, struct err *e)
{
	const enum greet_wanted wanted = s->place->any_node ? GREET_NODE : GREET_MASTER;
	const struct url *u = &s->c->conf.url;
	int found = 0, replicas = 0, late_ones = 0;
	bool late[URL_HOSTS] = {false};

	for (int k = 0; k < u->hosts.count && found == 0; k++) {
		int i = host_at(s, k);

		found = attempt(s, &u->hosts.at[i], wanted,
				left(s) / (u->hosts.count - k + (replicas > 0)), "", &late[i], e);
		if (found > 0)
			s->place->last = i;
		s->nodes[i] = found == 0 && s->c->of_cluster;
		replicas += s->nodes[i];
		late_ones += late[i];
	}
	if (found == 0)
		found = try_nodes(s, replicas, e);
	return found ? found : try_late_hosts(s, wanted, late, late_ones, e);
}

/* ask asks one Sentinel. Returns 1 if it named another master than the one before, 0 if not, -1 if
 * stopped. *late: it may reply if it gets more time; NULL: there is no more time. */
static int ask(struct search *s, int i, int64_t ms, bool *late, struct err *e)
{
	const struct wait w = until(s->wait, ms);
	struct url_host master = {.port = 0};
	struct conn sentinel;
	int known = sentinel_open(&sentinel, &s->c->conf, i, &w, e);

	if (known == 0)
		known = sentinel_master(&sentinel, &w, &master, e);
	conn_close(&sentinel);
	s->c->unauthorized = s->c->unauthorized || sentinel.unauthorized;
	s->c->looks_up = s->c->looks_up || sentinel.looks_up;
	if (known < 0 && e->status == DQ_STOPPED)
		return -1;
	if (late && known < 0 && is_late(s, &w, e)) {
		*late = true;
		return 0;
	}
	s->asked++;
	s->unknown += known == 0;
	if (known == 0)
		err_set(e, DQ_TEMPORARY, "does not know it");
	if (known <= 0) {
		if (!s->named.name[0])
			note(s, &s->c->conf.url.hosts.at[i], "", e);
		return 0;
	}
	if (master.port == s->named.port && !strcmp(master.name, s->named.name))
		return 0;
	if (!s->named.name[0]) { /* from now on only errors of masters matter */
		s->errors[0] = 0;
		s->status = DQ_UNAVAILABLE;
	}
	s->named = master;
	return 1;
}

/* try_sentinel asks one Sentinel, and tries the master that it names.
 * more: keep time for the other Sentinels. */
static int try_sentinel(struct search *s, int i, int64_t ms, bool more, bool *late, struct err *e)
{
	char host[URL_HOST_TEXT];
	int found = ask(s, i, ms, late, e);

	if (found <= 0)
		return found;
	url_host_shown(&s->c->conf.url.hosts.at[i], host);
	snprintf(s->by, sizeof s->by, ", says Sentinel %s", host);
	s->late = false;
	found = attempt(s, &s->named, GREET_MASTER, more ? left(s) / 2 : left(s), s->by, &s->late,
			e);
	if (found > 0)
		s->place->last = i;
	return found;
}

/* try_sentinels: in a second round late Sentinels get a fair share of the time, and what is left
 * then the master that was named last, if it was late. */
static int try_sentinels(struct search *s, struct err *e)
{
	int count = s->c->conf.url.hosts.count, found = 0, late_ones = 0;
	bool late[URL_HOSTS] = {false};

	for (int k = 0; k < count && found == 0; k++) {
		int i = (s->place->last + k) % count;

		found = try_sentinel(s, i, count == 1 ? left(s) / 2 : SENTINEL_MS, count > 1,
				     &late[i], e);
		late_ones += late[i];
	}
	for (int i = 0; i < count && found == 0; i++)
		if (late[i]) {
			found = try_sentinel(s, i, left(s) / (late_ones + 1), late_ones > 1, NULL,
					     e);
			late_ones--;
		}
	if (found == 0 && s->late)
		found = attempt(s, &s->named, GREET_MASTER, left(s), s->by, NULL, e);
	return found;
}

/* none puts all errors into one sentence. */
static int none(const struct search *s, struct err *e)
{
	const struct url *u = &s->c->conf.url;
	const char *hint = s->status == DQ_TEMPORARY ? ": failover?" : "";
	enum status status = s->status;

	if (!u->sentinel.master[0] && status == DQ_UNAVAILABLE)
		err_set(e, status, "no host can be reached: %s", s->errors);
	else if (!u->sentinel.master[0])
		err_set(e, status, "no master among %s%s", s->errors, hint);
	else if (s->named.name[0])
		err_set(e, status, "no master %.128s: %s%s", u->sentinel.master, s->errors, hint);
	else if (s->unknown == s->asked)
		err_set(e, DQ_CONFIG, "no Sentinel knows the master %.128s", u->sentinel.master);
	else if (status == DQ_UNAVAILABLE)
		err_set(e, status, "no Sentinel can be reached: %s", s->errors);
	else
		err_set(e, status, "no Sentinel names the master %.128s: %s", u->sentinel.master,
			s->errors);
	e->names_server = true;
	return -1;
}

int place_open(struct conn *c, struct place *place, const struct wait *wait, struct err *e)
{
	struct search s = {.c = c, .place = place, .wait = wait, .status = DQ_UNAVAILABLE};
	int found;

	conn_close(c);
	if (c->conf.url.tls && tls_load(e) < 0)
		return -1;
	found = c->conf.url.sentinel.master[0] ? try_sentinels(&s, e) : try_hosts(&s, e);
	if (found > 0)
		return 0;
	memset(&c->conf.url.server, 0, sizeof c->conf.url.server);
	return found < 0 ? -1 : none(&s, e);
}

bool place_is_wrong(const struct conn *c, const struct redisReply *reply)
{
	enum error_kind kind = errors_kind(reply);

	return (place_has_choice(&c->conf.url) || c->several) &&
	       (kind == ERROR_READONLY || kind == ERROR_MASTERDOWN || kind == ERROR_LOADING ||
		kind == ERROR_NOREPLICAS);
}
