#include "redis/greet.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "redis/errors.h"
#include "redis/lookup.h"
#include "redis/reply.h"
#include "redis/sock.h"

/* send_all queues AUTH, SELECT, CLIENT SETNAME and HELLO. It returns how many replies must arrive
 * before any other request is sent: a script must not run in the wrong database, as the wrong
 * user, or on a replica. (A server whose default user needs no password runs what follows a
 * refused AUTH, and what follows a refused SELECT runs in database 0.) The reply to CLIENT
 * SETNAME does not matter. It comes before HELLO, because a server that wants a password says so
 * in fewer words there. */
static int send_all(struct conn *c, enum greet_wanted wanted, struct err *e)
{
	static const char *const hello[] = {"HELLO", "2", NULL}; /* the protocol stays as it is */
	const struct url *u = &c->conf.url;
	const char *auth[] = {"AUTH", u->has_user ? u->user : u->password,
			      u->has_user ? u->password : NULL, NULL};
	const char *name[] = {"CLIENT", "SETNAME", c->conf.client_name, NULL};
	char db[16];
	const char *select[] = {"SELECT", db, NULL};
	int must = 0;

	if (u->has_password || u->has_user) {
		if (conn_words(c, auth, c, e) < 0)
			return -1;
		must++;
	}
	if (u->db) {
		snprintf(db, sizeof db, "%d", u->db);
		if (conn_words(c, select, c, e) < 0)
			return -1;
		must++;
	}
	if (!c->nameless && conn_words(c, name, NULL, e) < 0)
		return -1;
	if (wanted == GREET_ANY)
		return must;
	return conn_words(c, hello, &c->several, e) < 0 ? -1 : must + 2;
}

/* remove_quotations: a server may quote the request, with a password, anywhere in an error. */
static void remove_quotations(const struct conn *c, const struct redisReply *reply, struct err *e)
{
	const char *password = c->conf.url.password;
	const char *at = password[0] ? strstr(reply->str, password) : NULL;

	if (at && (size_t)(at - reply->str) < reply_words(reply))
		err_set(e, e->status,
			"the server refused; its message is not shown, because it quotes "
			"the password");
}

/* refused: the reply to AUTH or SELECT is an error. A user without a password is often one whose
 * password was forgotten. */
static int refused(const struct conn *c, const struct redisReply *reply, struct err *e)
{
	char text[sizeof e->text];

	reply_failed(reply, e);
	if (e->status == DQ_AUTH && !c->conf.url.has_password &&
	    !strncmp(reply->str, "WRONGPASS ", 10)) {
		memcpy(text, e->text, sizeof text);
		err_set(e, DQ_AUTH,
			"the server wants a password of this user (REDISCLI_AUTH, "
			"--password-file): %.200s",
			text);
	}
	remove_quotations(c, reply, e);
	return -1;
}

static int no_master(struct conn *c, enum greet_wanted wanted, bool of_cluster, struct err *e)
{
	c->of_cluster = of_cluster;
	return of_cluster && wanted == GREET_NODE ? 0 : err_set(e, DQ_TEMPORARY, "a replica");
}

static int is_sentinel(struct err *e)
{
	return err_set(e, DQ_CONFIG, "this is a Sentinel: use redis+sentinel://HOST/MASTER");
}

/* check_role refuses all servers but a master. */
static int check_role(struct conn *c, const struct redisReply *reply, struct err *e)
{
	const struct redisReply *role = reply->type == REDIS_REPLY_ARRAY && reply->elements ?
						reply->element[0] :
						NULL;

	if (errors_kind(reply) == ERROR_NOPERM)
		return err_set(e, DQ_AUTH, "this user lacks a right for ROLE: +role");
	if (reply->type == REDIS_REPLY_ERROR)
		return reply_failed(reply, e);
	if (!role || role->type != REDIS_REPLY_STRING)
		return err_set(e, DQ_INTERNAL, "unexpected reply to ROLE");
	if (!strcmp(role->str, "master"))
		return 0;
	if (!strcmp(role->str, "sentinel"))
		return is_sentinel(e);
	return strcmp(role->str, "slave") ? err_set(e, DQ_INTERNAL, "unexpected reply to ROLE") :
					    no_master(c, GREET_MASTER, false, e);
}

/* told is the value of that name in the reply to HELLO; "" if there is none. */
static const char *told(const struct redisReply *reply, const char *name)
{
	for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i + 1 < reply->elements; i += 2) {
		const struct redisReply *key = reply->element[i], *value = reply->element[i + 1];
		if (key->type == REDIS_REPLY_STRING && value->type == REDIS_REPLY_STRING &&
		    !strcmp(key->str, name))
			return value->str;
	}
	return "";
}

/* check_hello refuses all servers but a master, and a replica of a cluster if that is wanted. Where
 * HELLO is unknown or forbidden, it asks by ROLE and returns 1. */
static int check_hello(struct conn *c, const struct redisReply *reply, enum greet_wanted wanted,
		       struct err *e)
{
	static const char *const role[] = {"ROLE", NULL};
	const char *is = told(reply, "role");

	if (!strcmp(is, "master"))
		return 0;
	if (!strcmp(is, "replica") || !strcmp(is, "slave"))
		return no_master(c, wanted, !strcmp(told(reply, "mode"), "cluster"), e);
	if (!strcmp(told(reply, "mode"), "sentinel"))
		return is_sentinel(e);
	return conn_words(c, role, &c->known, e) < 0 ? -1 : 1;
}

/* heed returns how many more replies must arrive than was thought; -1: the server is not wanted. */
static int heed(struct conn *c, const struct redisReply *reply, const void *tag,
		enum greet_wanted wanted, struct err *e)
{
	if (tag == &c->several)
		return check_hello(c, reply, wanted, e);
	if (tag == &c->known)
		return check_role(c, reply, e);
	return tag && reply->type == REDIS_REPLY_ERROR ? refused(c, reply, e) : 0;
}

/* greet returns when AUTH, SELECT and HELLO have succeeded. */
static int greet(struct conn *c, enum greet_wanted wanted, const struct wait *wait, struct err *e)
{
	int must = send_all(c, wanted, e), more = must < 0 ? -1 : 0;
	struct redisReply *reply;
	void *tag;

	for (; must > 0 && more >= 0; must += more - 1) {
		if (conn_recv(c, wait, &reply, &tag, e) < 0)
			return -1;
		more = heed(c, reply, tag, wanted, e);
		reply_free(reply);
	}
	return more < 0 ? -1 : 0;
}

/* share is a fair part of the time left. */
static struct wait share(const struct wait *wait, int parts)
{
	int64_t now = clock_ms();
	struct wait w = *wait;

	if (parts == 1)
		return w;
	w.timeout = w.until > now ? (w.until - now) / parts : 0;
	w.until = now + w.timeout;
	return w;
}

/* open_next opens the next address at which there is a server. Of several addresses it takes only
 * what is wanted, or a master. */
static int open_next(struct conn *c, struct sock_addresses *all, enum greet_wanted wanted, bool ask,
		     const struct wait *wait, struct err *e)
{
	int fd = sock_open(&c->conf.url, all, wait->until, c->conf.patience, wait, e);
	/* a part for each address, and for a second round */
	struct wait w = ask && all->count > 1 ? share(wait, all->left + 2 - all->late_only) : *wait;

	c->several = ask && all->count > 1;
	c->of_cluster = false;
	if (fd < 0 && c->conf.patience &&
	    lookup_goes_on(&c->conf.url.server, c->conf.connect_timeout))
		c->looks_up = true;
	if (fd < 0)
		return -1;
	if (conn_adopt(c, fd, &w, e) == 0 &&
	    greet(c, c->several && wanted == GREET_ANY ? GREET_MASTER : wanted, &w, e) == 0)
		return 0;
	if (e->status == DQ_UNAVAILABLE && clock_ms() >= w.until)
		sock_addresses_note_late(all);
	conn_close(c);
	return -1;
}

/* open_one tries each address of the host. c->of_cluster is that of the server that was right, or
 * true if any was. *e begins as DQ_UNAVAILABLE; any other failure says more. */
static int open_one(struct conn *c, struct sock_addresses *all, enum greet_wanted wanted, bool ask,
		    const struct wait *wait, struct err *e)
{
	bool of_cluster = false;
	struct err failed;
	int status;

	while ((status = open_next(c, all, wanted, ask, wait, &failed)) < 0) {
		bool first = all->left == all->count - 1 || !all->count;
		if (first || e->status == DQ_UNAVAILABLE || failed.status == DQ_STOPPED)
			*e = failed;
		of_cluster = of_cluster || c->of_cluster;
		if (!all->next || failed.status == DQ_STOPPED)
			break;
	}
	c->of_cluster = status < 0 ? of_cluster : c->of_cluster;
	return status;
}

int greet_open(struct conn *c, enum greet_wanted wanted, const struct wait *wait, struct err *e)
{
	struct sock_addresses all = {.count = 0};
	int status;

	conn_close(c);
	c->refused = c->of_cluster = false;
	if (c->conf.url.tls && tls_load(e) < 0)
		return -1;
	err_set(e, DQ_UNAVAILABLE, "not tried");
	status = open_one(c, &all, wanted, true, wait, e);
	if (status < 0 && wanted == GREET_ANY && all.count > 1 && e->status != DQ_UNAVAILABLE &&
	    e->status != DQ_STOPPED) {
		sock_addresses_again(&all);
		status = open_one(c, &all, wanted, false, wait, e);
	}
	while (status < 0 && e->status != DQ_STOPPED && clock_ms() < wait->until &&
	       sock_addresses_late(&all) > 0)
		status = open_one(c, &all, wanted, true, wait, e);
	sock_addresses_free(&all);
	if (status == 0)
		return 0;
	c->unauthorized = c->unauthorized || e->status == DQ_AUTH;
	e->fate = FATE_NOT_DONE;
	return -1;
}
