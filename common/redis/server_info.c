#include "redis/server_info.h"

#include <hiredis.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "base/time.h"
#include "redis/reply.h"

/* The settings that INFO does not report. */
static const char *const settings[] = {"appendfsync", "no-appendfsync-on-rewrite", "save",
				       "stop-writes-on-bgsave-error", "min-replicas-to-write",
				       "min-replicas-max-lag", "busy-reply-threshold"};

static int ask_info(struct exchange *x, struct node *node, struct server *s, struct err *e)
{
	struct call call = {0};
	int status;

	call_read(&call, "INFO");
	call.at = node;
	status = exchange_ask(x, &call, REDIS_REPLY_STRING, NULL, e);
	if (status == 0 && (buf_add(&s->text, call.reply->str, call.reply->len) < 0 ||
			    buf_char(&s->text, '\n') < 0))
		status = err_memory(e);
	call_free(&call);
	return status;
}

/* add_setting drops a value with a line break, which would begin another name. */
static int add_setting(struct server *s, const struct redisReply *name,
		       const struct redisReply *value)
{
	if (memchr(value->str, '\n', value->len) || memchr(value->str, '\r', value->len))
		return 0;
	if (buf_text(&s->text, "config ") < 0 || buf_add(&s->text, name->str, name->len) < 0 ||
	    buf_char(&s->text, ':') < 0 || buf_add(&s->text, value->str, value->len) < 0 ||
	    buf_char(&s->text, '\n') < 0)
		return -1;
	return 0;
}

/* A refusal is no error if the connection is still open. */
static int ask_settings(struct exchange *x, struct node *node, struct server *s, struct err *e)
{
	struct call call = {0};
	int status;

	call_read(&call, "CONFIG");
	call.at = node;
	call_text(&call, "GET");
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		call_text(&call, settings[i]);
	status = exchange_run(x, &call, NULL, e);
	s->config = status == 0 &&
		    reply_is_array(call.reply, call.reply->elements, REDIS_REPLY_STRING);
	for (size_t i = 1; s->config && i < call.reply->elements; i += 2)
		if (add_setting(s, call.reply->element[i - 1], call.reply->element[i]) < 0)
			status = err_memory(e);
	call_free(&call);
	return node->conn.redis && !(status < 0 && s->config) ? 0 : -1;
}

static int ask_clock(struct exchange *x, struct node *node, struct server *s, struct err *e)
{
	struct call call = {0};
	int64_t before = clock_wall(), seconds, us;

	call_read(&call, "TIME");
	call.at = node;
	if (exchange_run(x, &call, NULL, e) == 0 &&
	    reply_is_array(call.reply, 2, REDIS_REPLY_STRING) &&
	    num_parse(call.reply->element[0]->str, 0, TIME_LAST / 1000, "s", &seconds, e) == 0 &&
	    num_parse(call.reply->element[1]->str, 0, 999999, "us", &us, e) == 0) {
		s->clock = true;
		s->now = seconds * 1000 + us / 1000;
		s->ahead = s->now - (before + clock_wall()) / 2;
	}
	call_free(&call);
	return node->conn.redis ? 0 : -1;
}

int server_ask(struct exchange *x, struct node *node, struct server *s, struct err *e)
{
	if (ask_info(x, node, s, e) < 0 || ask_settings(x, node, s, e) < 0 ||
	    ask_clock(x, node, s, e) < 0)
		return -1;
	return 0;
}

const char *server_field(const struct server *s, const char *name, size_t *len)
{
	const char *at = s->text.bytes, *end = at + s->text.len;
	size_t n = strlen(name);

	while (at < end) {
		/* the text ends in a line feed */
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		if ((size_t)(stop - at) > n && !memcmp(at, name, n) && at[n] == ':') {
			*len = (size_t)(stop - at) - n - 1;
			*len -= *len && stop[-1] == '\r';
			return at + n + 1;
		}
		at = stop + 1;
	}
	return NULL;
}

bool server_is(const struct server *s, const char *name, const char *value)
{
	size_t len;
	const char *at = server_field(s, name, &len);

	return at && len == strlen(value) && !memcmp(at, value, len);
}

int64_t server_number(const struct server *s, const char *name, int64_t none)
{
	size_t len;
	const char *at = server_field(s, name, &len);
	char text[24];
	int64_t n;
	struct err e;

	if (!at || len >= sizeof text)
		return none;
	memcpy(text, at, len);
	text[len] = 0;
	return num_parse(text, 0, INT64_MAX, name, &n, &e) == 0 ? n : none;
}

char *server_shown(const struct server *s, const char *name, char *dst, size_t cap)
{
	size_t len = 0;
	const char *at = server_field(s, name, &len);

	return text_shown(dst, cap, at ? at : "", len);
}

void server_free(struct server *s)
{
	buf_free(&s->text);
}
