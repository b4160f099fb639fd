#include "redis/sentinel.h"

#include <hiredis.h>
#include <string.h>

#include "redis/greet.h"
#include "redis/reply.h"
#include "redis/url_hosts.h"

/* auth_words: the hint of a server's refusal names the option for the password of the data. */
static int auth_words(struct err *e)
{
	if (e->status == DQ_AUTH && !strncmp(e->text, "the server wants a password", 27))
		return err_set(e, DQ_AUTH,
			       "the Sentinel wants a password (DQ_SENTINEL_PASSWORD, "
			       "sentinel_password_file)");
	return -1;
}

int sentinel_open(struct conn *s, const struct conn_conf *conf, int i, const struct wait *wait,
		  struct err *e)
{
	struct url *u;

	conn_init(s, conf);
	u = &s->conf.url;
	u->server = u->hosts.at[i];
	u->hosts.count = 0;
	memcpy(u->user, u->sentinel.user, sizeof u->user);
	memcpy(u->password, u->sentinel.password, sizeof u->password);
	u->has_user = u->user[0];
	u->has_password = u->password[0];
	u->db = 0;
	return greet_open(s, GREET_ANY, wait, e) < 0 ? auth_words(e) : 0;
}

/* read_address checks each byte. */
static int read_address(const struct redisReply *reply, struct url_host *master, struct err *e)
{
	const struct redisReply *host, *port;

	if (!reply_is_array(reply, 2, REDIS_REPLY_STRING))
		return err_set(e, DQ_INTERNAL, "unexpected reply to SENTINEL");
	host = reply->element[0];
	port = reply->element[1];
	master->port = url_number(port->str, port->len, 65535);
	if (!url_host_name(host->str, host->len) || master->port < 1)
		return err_set(e, DQ_INTERNAL, "the Sentinel names an invalid address");
	memcpy(master->name, host->str, host->len);
	return 1;
}

/* ask returns the reply, which the caller frees; NULL: none, or an error. */
static struct redisReply *ask(struct conn *s, const char *word, const struct wait *wait,
			      struct err *e)
{
	const char *words[] = {"SENTINEL", word, s->conf.url.sentinel.master, NULL};
	struct redisReply *reply = NULL;
	void *tag = NULL;

	if (conn_words(s, words, s, e) < 0)
		return NULL;
	while (!tag) { /* CLIENT SETNAME's has none */
		reply_free(reply);
		if (conn_recv(s, wait, &reply, &tag, e) < 0)
			return NULL;
	}
	if (reply->type != REDIS_REPLY_ERROR)
		return reply;
	reply_failed(reply, e);
	reply_free(reply);
	return NULL;
}

int sentinel_master(struct conn *s, const struct wait *wait, struct url_host *master, struct err *e)
{
	struct redisReply *reply = ask(s, "GET-MASTER-ADDR-BY-NAME", wait, e);
	int status;

	memset(master, 0, sizeof *master);
	if (!reply)
		return auth_words(e);
	status = reply->type == REDIS_REPLY_NIL ? 0 : read_address(reply, master, e);
	reply_free(reply);
	return status;
}

int sentinel_quorum(struct conn *s, const struct wait *wait, struct err *e)
{
	struct redisReply *reply = ask(s, "CKQUORUM", wait, e);
	int status;

	if (!reply)
		return -1;
	status = reply->type == REDIS_REPLY_STATUS ?
			 0 :
			 err_set(e, DQ_INTERNAL, "unexpected reply to SENTINEL");
	reply_free(reply);
	return status;
}
