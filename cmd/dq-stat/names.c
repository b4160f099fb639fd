#include "names.h"

#include "failed.h"
#include "tool/die.h"
#include "tool/queues.h"

struct run {
	struct buf out;
	enum status status;
};

static int add(void *ctx, struct queue *q)
{
	struct run *r = ctx;

	if (buf_format(&r->out, "%s\n", q->name) == 0)
		return 0;
	warn("out of memory");
	r->status = DQ_TEMPORARY;
	return -1;
}

enum status names_run(struct queue_set *all)
{
	char *none[] = {NULL}; /* no names: all queues */
	struct run r = {.status = DQ_DONE};
	enum status status = queues_each(all, none, add, &r);

	if (r.out.len > 0)
		failed_write(&r.status, &r.out);
	buf_free(&r.out);
	return worse(status, r.status);
}
