#include "bulk/outcome.h"

#include <hiredis.h>
#include <string.h>

#include "base/num.h"

/* number_after reads digits up to `until` (or the end), after the mark at text;
 * -1: there are none. */
static int64_t number_after(const char *text, char mark, char until)
{
	char digits[20] = "";
	size_t len = *text == mark ? strspn(text + 1, "0123456789") : 0;
	struct err odd;
	int64_t n;

	if (len == 0 || len >= sizeof digits || (text[1 + len] && text[1 + len] != until))
		return -1;
	memcpy(digits, text + 1, len);
	return num_parse(digits, 0, INT64_C(1) << 53, "number", &n, &odd) == 0 ? n : -1;
}

static void report_each(const struct pipeline_conf *conf, const struct batch *batch,
			const char *letters)
{
	const char *text = batch->bytes.bytes;
	int64_t max_len = conf->lists ? number_after(letters + batch->items, '/', ' ') : -1;
	int width = conf->width;
	struct err e;
	bool confirmed = durability_check(&batch->durability, batch->queue->x->conf, &e) == 0;

	for (size_t i = 0; i < batch->items; i++) {
		struct pipeline_result result = {
			batch->queue, batch->numbers[i], text, "", letters[i], max_len,
			batch->call.repeated, confirmed ? NULL : &e};
		for (int k = 0; k < width; k++) {
			if (k == 1)
				result.second = text;
			text += batch->lens[i * (size_t)width + (size_t)k] + 1;
		}
		conf->each(conf->ctx, &result);
	}
}

/* after_letters: what follows the letters of a put: perhaps the limit, /N.
 * NULL: the reply is none of put. */
static const char *after_letters(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	const char *text = reply->str + batch->items;

	if (!conf->lists || (size_t)reply->len <= batch->items)
		return NULL;
	if (number_after(text, '/', ' ') >= 0)
		text += 1 + strspn(text + 1, "0123456789");
	return text;
}

const char *outcome_unlisted(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	const char *text = reply && reply->type == REDIS_REPLY_STRING ? after_letters(conf, batch) :
									NULL;

	if (!text || *text != ' ' || !text[1] || strlen(text + 1) > NAME_TOKEN_MAX ||
	    text[1 + strspn(text + 1, "0123456789")])
		return NULL;
	return text + 1;
}

/* is_whole: does the reply end where it should? */
static bool is_whole(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	const char *rest;

	if (reply->type != REDIS_REPLY_STRING ||
	    strspn(reply->str, conf->letters) != batch->items ||
	    strlen(reply->str) != (size_t)reply->len)
		return false;
	rest = after_letters(conf, batch);
	return (size_t)reply->len == batch->items || (rest && !*rest) ||
	       outcome_unlisted(conf, batch);
}

bool outcome_of_other_shards(const struct batch *batch)
{
	struct err e;

	return batch->call.reply && call_check(&batch->call, &e) < 0 && e.fate == FATE_SHARDS;
}

void outcome_report(const struct pipeline_conf *conf, const struct batch *batch)
{
	const struct redisReply *reply = batch->call.reply;
	struct err e;

	if (!reply) {
		e = *batch->call.why;
	} else if (call_check(&batch->call, &e) == 0) {
		if (is_whole(conf, batch)) {
			report_each(conf, batch, reply->str);
			return;
		}
		err_set(&e, DQ_INTERNAL, "unexpected reply to script %s", conf->script->name);
		e.fate = FATE_UNKNOWN;
	} else if (batch->call.repeated) {
		/* the server may have run the first sending */
		e.fate = e.fate == FATE_CLAIM ? FATE_CLAIM_UNKNOWN : FATE_UNKNOWN;
	}
	conf->refused(conf->ctx, batch->queue, batch->items, &e);
}

