#include "redis/nodes.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/reply.h"
#include "redis/sock.h"
#include "redis/url_text.h"

#define PROBE_MS 500 /* for a lost node to accept and reply */
#define TURN_MS 1000

/* --- one exchange of our own --- */

/* ask returns the reply, which the caller frees; NULL: the connection is lost. */
static struct redisReply *ask(struct conn *c, const char *const words[], const struct wait *wait,
			      struct err *e)
{
	struct redisReply *reply;
	void *tag;

	if (conn_words(c, words, c, e) < 0)
		return NULL;
	while (conn_recv(c, wait, &reply, &tag, e) == 0) {
		if (tag)
			return reply;
		reply_free(reply); /* the reply to CLIENT SETNAME */
	}
	conn_close(c);
	return NULL;
}

static void map_range(struct nodes *n, const struct redisReply *range)
{
	const struct redisReply *master;
	struct url_host host = {.port = 0};
	int number;

	if (range->type != REDIS_REPLY_ARRAY || range->elements < 3 ||
	    range->element[0]->type != REDIS_REPLY_INTEGER ||
	    range->element[1]->type != REDIS_REPLY_INTEGER || range->element[0]->integer < 0 ||
	    range->element[1]->integer >= SLOTS)
		return;
	master = range->element[2];
	if (master->type != REDIS_REPLY_ARRAY || master->elements < 2 ||
	    master->element[1]->type != REDIS_REPLY_INTEGER)
		return;
	if (master->element[0]->type == REDIS_REPLY_STRING &&
	    url_host_name(master->element[0]->str, master->element[0]->len))
		/* an empty host is, as in MOVED, that of the root */
		strcpy(host.name, master->element[0]->str);
	host.port = (int)master->element[1]->integer;
	nodes_complete(&n->root.conn, &host);
	number = host.port > 0 && host.port < 65536 ? nodes_find(n, &host) : -1;
	if (number >= 0)
		nodes_also_here(n, &host);
	for (long long i = range->element[0]->integer;
	     number >= 0 && i <= range->element[1]->integer; i++)
		n->cluster->at[i] = (uint16_t)(number + 1);
}

int nodes_all(struct nodes *n, const struct wait *wait, struct err *e)
{
	static const char *const slots[] = {"CLUSTER", "SLOTS", NULL};
	struct redisReply *reply;
	int status = -1;

	if (nodes_make(n) < 0)
		return err_memory(e);
	n->cluster->mapped = true;
	if (nodes_open(n, &n->root, wait, e) < 0 || !(reply = ask(&n->root.conn, slots, wait, e)))
		return -1;
	if (reply->type == REDIS_REPLY_ARRAY)
		status = 0;
	else if (reply->type == REDIS_REPLY_ERROR)
		reply_failed(reply, e);
	else
		err_set(e, DQ_INTERNAL, "unexpected reply to CLUSTER SLOTS");
	if (status == 0)
		memset(n->cluster->at, 0, sizeof n->cluster->at);
	for (size_t i = 0; status == 0 && i < reply->elements; i++)
		map_range(n, reply->element[i]);
	reply_free(reply);
	return status;
}

void nodes_map(struct nodes *n, const struct wait *wait)
{
	struct err e;

	if (n->cluster && !n->cluster->mapped && !n->root.conn.pending)
		nodes_all(n, wait, &e);
}

/* --- opening and losing --- */

/* name_it names the server in the error, because there are several. */
static void name_it(const struct conn *c, struct err *e)
{
	char text[sizeof e->text], host[URL_HOST_TEXT];

	if (e->status == DQ_UNAVAILABLE)
		e->status = DQ_TEMPORARY;
	if (e->names_server || c->conf.url.kind == URL_UNIX)
		return;
	url_host_shown(&c->conf.url.server, host);
	snprintf(text, sizeof text, "%.200s (%.190s)", e->text, host);
	memcpy(e->text, text, sizeof text);
	e->names_server = true;
}

/* probe: TCP may connect to a process that is stopped. */
static int probe(struct conn *c, const struct wait *wait, struct err *e)
{
	static const char *const ping[] = {"PING", NULL};
	struct redisReply *reply = ask(c, ping, wait, e);

	reply_free(reply);
	return reply ? 0 : -1;
}

static void lose(struct node *node, const char *object, const struct err *e)
{
	node->lost = *e;
	node->lost.fate = FATE_NOT_DONE;
	session_lost(&node->session, object, e);
}

/* is_paused: was the loss of this connection reported already? */
static bool is_paused(const struct node *node)
{
	return node->session.pause && clock_ms() < node->session.retry_at;
}

int nodes_open(struct nodes *n, struct node *node, const struct wait *wait, struct err *e)
{
	struct conn *c = &node->conn;
	struct wait w = wait ? *wait : c->conf.wait;
	struct session *s = &node->session;

	if (c->redis || !n->cluster)
		return 0;
	n->cluster->failed = node;
	if (is_paused(node)) {
		*e = node->lost;
		return -1;
	}
	if (s->pause) {
		int64_t soon = clock_ms() + PROBE_MS;
		w.until = w.until ? clock_sooner(w.until, soon) : soon;
	}
	if (session_open(s, &w, e) == 0 && (!s->pause || probe(c, &w, e) == 0)) {
		if (s->pause)
			session_answered(s);
		return 0;
	}
	conn_close(c);
	if (e->status == DQ_STOPPED)
		return -1;
	e->fate = FATE_NOT_DONE;
	name_it(c, e);
	lose(node, NULL, e);
	nodes_forget_all(n, node);
	return -1;
}

void nodes_turn(struct nodes *n, struct node *node)
{
	const struct url *u = &node->conn.conf.url;
	struct place *place = &node->session.place;

	if (node != &n->root || u->hosts.count < 2 || u->sentinel.master[0] || node->conn.pending ||
	    nodes_make(n) < 0 || clock_ms() < n->cluster->turn_at)
		return;
	conn_close(&node->conn);
	node->conn.known = 0;
	place->last = (place->last + 1) % u->hosts.count;
	n->cluster->turn_at = clock_ms() + TURN_MS;
}

void nodes_note(struct nodes *n, struct node *node, const struct err *e)
{
	if (!n->cluster || e->fate == FATE_MOVING)
		return;
	n->cluster->failed = node;
	if (!node->conn.redis && !is_paused(node))
		lose(node, NULL, e);
}

static bool passes(const struct err *e)
{
	return err_passes(e) || e->status == DQ_STOPPED;
}

void nodes_lost(struct nodes *n, const char *object, const struct err *e)
{
	const struct cluster *all = n->cluster;

	if (e->fate == FATE_MOVING)
		nodes_moving_say(n, object, e);
	else if (!all || !all->failed || !passes(e))
		session_lost(&n->root.session, object, e);
	else if (all->failed->conn.redis || !is_paused(all->failed))
		lose(all->failed, object, e);
}

/* pause_until: then that connection, or slot, may be tried again. */
static int pause_until(int64_t at, const struct wait *wait, struct err *e)
{
	struct err stopped;

	if (wait->until && clock_ms() >= wait->until)
		return -1;
	if (sock_wait(-1, 0, wait->until ? clock_sooner(at, wait->until) : at, wait->stop_fd,
		      &stopped) < 0) {
		*e = stopped;
		return -1;
	}
	return 0;
}

#define SOON 50 /* ms */

int64_t nodes_retry_at(struct nodes *n)
{
	const struct cluster *all = n->cluster;
	int64_t now = clock_ms(), first = 0;

	if (!all)
		return n->root.conn.redis ? 0 : n->root.session.retry_at;
	for (int i = 0; i < all->count; i++) {
		const struct session *s = &all->all[i]->session;
		if (s->pause && s->retry_at > now)
			first = first ? clock_sooner(first, s->retry_at) : s->retry_at;
	}
	if (nodes_moving_retry_at(all))
		first = first ? clock_sooner(first, nodes_moving_retry_at(all)) :
				nodes_moving_retry_at(all);
	return first ? first : now + SOON;
}

int nodes_pause(struct nodes *n, const struct wait *wait, struct err *e)
{
	const struct cluster *all = n->cluster;

	if (!all || n->root.session.status != DQ_DONE)
		return session_again(&n->root.session, wait, e);
	if (e->fate == FATE_MOVING)
		return pause_until(nodes_moving_last_at(all), wait, e);
	return pause_until((all->failed ? all->failed : &n->root)->session.retry_at, wait, e);
}
