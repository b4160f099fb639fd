/* The trace context: what is valid comes back from the header as it was, and nothing else does. */
#include "base/trace.h"
#include "fuzz.h"
#include "message/header.h"
#include "queue/queue.h"

static void returns(const char *parent, const char *state)
{
	const struct header_options o = {.ttr = QUEUE_TTR_MS, .tries = QUEUE_TRIES,
					 .priority = QUEUE_PRIORITY, .traceparent = parent,
					 .tracestate = state[0] ? state : NULL};
	struct buf b = {0};
	struct trace t;

	HOLDS(header_write(&o, &b) == 0);
	header_trace(&t, b.bytes, b.len - 1);
	HOLDS(t.parent != NULL && t.parent_len == strlen(parent) &&
	      !memcmp(t.parent, parent, t.parent_len));
	HOLDS(!strcmp(t.state, state));
	buf_free(&b);
}

/* data: a traceparent, LF, a tracestate. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char valid[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
	char *text = fuzz_text(data, size), *lf = strchr(text, '\n'), *state = lf ? lf + 1 : text;
	char out[TRACE_STATE_MAX + 1], again[TRACE_STATE_MAX + 1];

	if (lf)
		*lf = '\0';
	if (trace_parent_valid(text, strlen(text)))
		returns(text, "");
	if (!trace_state(state, strlen(state), out)) {
		HOLDS(out[0] == '\0');
	} else {
		HOLDS(strlen(out) <= strlen(state) && trace_state(out, strlen(out), again) &&
		      !strcmp(out, again));
		returns(valid, out);
	}
	free(text);
	return 0;
}
