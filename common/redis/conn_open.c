#include "redis/conn.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "redis/reply.h"

void conn_init(struct conn *c, const struct conn_conf *conf)
{
	*c = (struct conn){.conf = *conf, .known = UINT64_MAX};
}

void conn_beside(struct conn *c, const struct conn_conf *conf, const char *word,
		 char name[CONN_NAME])
{
	conn_init(c, conf);
	snprintf(name, CONN_NAME, "%s-%s", conf->client_name, word);
	c->conf.client_name = name;
	c->conf.url.hosts.count = 0; /* only one server is right */
}

void conn_close(struct conn *c)
{
	tls_close(c->tls);
	c->tls = NULL;
	if (c->redis)
		redisFree(c->redis);
	free(c->limit);
	c->redis = NULL;
	buf_free(&c->out);
	c->out_at = 0;
	c->limit = NULL;
	c->pending = 0;
	c->written = c->write_failed = c->got_reply = c->greeted = false;
}

int conn_adopt(struct conn *c, int fd, const struct wait *wait, struct err *e)
{
	c->opened++;
	c->redis = redisConnectFd(fd);
	if (!c->redis) {
		close(fd);
		return err_memory(e);
	}
	c->limit = reply_limit(c->redis->reader);
	if (!c->limit) {
		conn_close(c);
		return err_memory(e);
	}
	c->redis->flags &= ~REDIS_BLOCK;
	/* else hiredis 0.14.1 shrinks its buffer, and aborts if malloc fails */
	c->redis->reader->maxbuf = 0;
	if (c->conf.url.tls)
		c->tls = tls_open(fd, c->conf.url.server.name, &c->conf.tls, wait, e);
	if (c->conf.url.tls && !c->tls) {
		conn_close(c);
		return -1;
	}
	return 0;
}

void conn_forget(struct conn *c, const void *tag)
{
	for (unsigned i = 0; i < c->pending; i++)
		if (c->tags[(c->head + i) % CONN_PENDING_MAX] == tag)
			c->tags[(c->head + i) % CONN_PENDING_MAX] = NULL;
}
