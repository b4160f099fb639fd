#include "bulk/outcome.h"

#include <hiredis.h>
#include <string.h>

static void report_each(const struct pipeline_conf *conf, const struct batch *batch, const char *letters)
{
	const char *text = batch->bytes.bytes;
	int width = conf->width;
	struct err e;
	bool confirmed = durability_check(&batch->durability, batch->queue->x->conf, &e) == 0;

	for (size_t i = 0; i < batch->items; i++) {
		struct pipeline_result result = {
			batch->queue, batch->numbers[i], text, "", letters[i], batch->call.repeated, confirmed ? NULL : &e};
		for (int k = 0; k < width; k++) {
			if (k == 1)
				result.second = text;
			text += batch->lens[i * (size_t)width + (size_t)k] + 1;
		}
		conf->each(conf->ctx, &result);
	}
}

const char *outcome_unlisted(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;

	if (!conf->lists || !reply || reply->type != REDIS_REPLY_STRING || (size_t)reply->len < batch->items + 2 ||
	    (size_t)reply->len > batch->items + 1 + NAME_TOKEN_MAX || reply->str[batch->items] != ' ' ||
	    strspn(reply->str + batch->items + 1, "0123456789") != (size_t)reply->len - batch->items - 1)
		return NULL;
	return reply->str + batch->items + 1;
}

bool outcome_of_other_shards(const struct batch *batch)
{
	struct err e;

	return batch->call.reply && !batch->call.repeated && call_check(&batch->call, &e) < 0 && e.fate == FATE_SHARDS;
}

void outcome_report(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	struct err e;

	if (!reply) {
		e = *batch->call.why;
	} else if (call_check(&batch->call, &e) == 0) {
		if (reply->type == REDIS_REPLY_STRING && strspn(reply->str, conf->letters) == batch->items &&
		    ((size_t)reply->len == batch->items || outcome_unlisted(conf, batch))) {
			report_each(conf, batch, reply->str);
			return;
		}
		err_set(&e, DQ_INTERNAL, "unexpected reply to script %s", conf->script->name);
		e.fate = FATE_UNKNOWN;
	} else if (batch->call.repeated) {
		e.fate = e.fate == FATE_CLAIM ? FATE_CLAIM_UNKNOWN : FATE_UNKNOWN; /* the server may have run the first sending */
	}
	conf->refused(conf->ctx, batch->queue, batch->items, &e);
}

