#include "message/load_place.h"

#include <string.h>

#include "base/utf8.h"
#include "message/settle.h"

int load_place(struct buf *out, const struct shown *m)
{
	bool leased = !strcmp(m->state, "leased"), dead = !strcmp(m->state, "dead");
	int64_t failed = m->failures - m->tries.counted + leased; /* before it was put again */

	if (buf_format(out, "%s %lld ", leased || dead ? m->state : "due", (long long)m->at) < 0 ||
	    tries_write(out, &m->tries) < 0 ||
	    buf_format(out, " %lld %lld", (long long)m->delivery_due,
		       leased ? (long long)m->again : -1LL) < 0 ||
	    (m->first_due >= 0 && buf_format(out, " %lld", (long long)m->first_due) < 0) ||
	    (m->first_due >= 0 && failed > 0 && buf_format(out, "*%lld", (long long)failed) < 0) ||
	    buf_char(out, '\n') < 0)
		return -1;
	return buf_add(out, m->reason, utf8_cut(m->reason, m->reason_len, SETTLE_REASON_MAX));
}
