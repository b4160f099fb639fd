/* Lines of a dump: whatever comes, a record or a reason;
 * and any payload that is written is read again. */
#include "base/text.h"
#include "base/utf8.h"
#include "dq-load/dump_line.h"
#include "fuzz.h"
#include "message/header.h"
#include "message/settle.h"

/* A line that is accepted is one that the script can take. */
static void any_line(char *line, size_t len)
{
	struct dump_line r = {.dump = 0};
	struct err e;

	if (dump_line_read(&r, line, len, &e) < 0) {
		fuzz_refused(&e, DQ_DATA);
	} else if (r.kind == DUMP_MESSAGE) {
		const char *payload;
		struct header h;
		size_t n = header_split(r.body.bytes, r.body.len, &payload);
		HOLDS(payload > r.body.bytes && name_id_valid(r.id, strlen(r.id)) &&
		      name_queue_valid(r.queue, strlen(r.queue)));
		header_read(&h, r.body.bytes, n);
		HOLDS(h.ttr >= 1 && h.tries >= 1 && memchr(r.place.bytes, '\n', r.place.len));
	} else if (r.kind == DUMP_RESERVED) {
		HOLDS(name_id_valid(r.id, strlen(r.id)) && r.place.len > 9);
	} else if (r.kind != DUMP_DONE) {
		HOLDS(r.token >= 0 && r.dump >= 1 && name_queue_valid(r.queue, strlen(r.queue)));
		for (size_t i = 0; r.kind == DUMP_QUEUE && i < r.settings.key_pauses.count; i++) {
			const char *key = key_pause_key(&r.settings.key_pauses.list[i]);
			HOLDS(i < KEY_PAUSES_MAX && name_key_valid(key, strlen(key)) &&
			      r.settings.key_pauses.list[i].until != 0);
		}
	}
	dump_line_free(&r);
}

static void any_payload(const char *s, size_t len)
{
	struct dump_line r = {.dump = 0};
	struct buf line = {0};
	struct err e;
	size_t kept;

	HOLDS(buf_text(&line, "{\"queue\":\"q\",\"id\":\"i\",\"due_ms\":5,") == 0 &&
	      text_members(&line, "payload", s, len) == 0 && buf_char(&line, ',') == 0 &&
	      text_members(&line, "reason", s, len) == 0 && buf_char(&line, '}') == 0);
	HOLDS(dump_line_read(&r, line.bytes, line.len, &e) == 0);
	HOLDS(r.body.len == len + 1 && r.body.bytes[0] == '\n' &&
	      (len == 0 || !memcmp(r.body.bytes + 1, s, len)));
	kept = utf8_cut(s, len, SETTLE_REASON_MAX);
	HOLDS(kept <= SETTLE_REASON_MAX &&
	      kept + UTF8_MAX > (len < SETTLE_REASON_MAX ? len : SETTLE_REASON_MAX));
	HOLDS(text_utf8(s, kept) || !text_utf8(s, len));
	HOLDS(r.place.len > kept && r.place.bytes[r.place.len - kept - 1] == '\n');
	HOLDS(kept == 0 || !memcmp(r.place.bytes + r.place.len - kept, s, kept));
	dump_line_free(&r);
	buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_text(data, size);

	any_payload(s, size);
	any_line(s, size);
	free(s);
	return 0;
}
