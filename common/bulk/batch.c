#include "bulk/batch.h"

#include <stdlib.h>
#include <string.h>

struct batch *batch_new(struct queue *q)
{
	struct batch *batch = calloc(1, sizeof *batch);

	if (batch) {
		batch->lens = malloc(sizeof *batch->lens * BATCH_ITEMS_MAX * BATCH_WIDTH_MAX);
		batch->numbers = malloc(sizeof *batch->numbers * BATCH_ITEMS_MAX);
	}
	if (batch && (!batch->lens || !batch->numbers)) {
		batch_list_free(batch);
		return NULL;
	}
	if (!batch)
		return NULL;
	batch->queue = q;
	return batch;
}

void batch_reset(struct batch *batch, struct queue *q)
{
	batch->queue = q;
	batch->items = 0;
	batch->repeated = false;
	batch->bytes.len = 0;
	batch->next = NULL;
	durability_reset(&batch->durability);
}

int batch_add(struct batch *batch, int width, const char *const texts[], const size_t lens[],
	      size_t number)
{
	size_t before = batch->bytes.len;
	size_t *at = batch->lens + batch->items * (size_t)width;

	for (int i = 0; i < width; i++) {
		if (buf_add(&batch->bytes, texts[i], lens[i]) < 0 ||
		    buf_char(&batch->bytes, 0) < 0) {
			batch->bytes.len = before;
			return -1;
		}
		at[i] = lens[i];
	}
	batch->numbers[batch->items++] = number;
	return 0;
}

/* is_once: is text number i that of its item which is sent once? */
static bool is_once(size_t i, int width, int once)
{
	return i % (size_t)width == (size_t)once - 1;
}

/* common_text returns the text to send once, if it is the same in all items; else NULL. */
static const char *common_text(const struct batch *batch, int width, int once)
{
	const char *text = batch->bytes.bytes, *first = NULL;

	for (size_t i = 0; i < batch->items * (size_t)width; i++) {
		if (is_once(i, width, once)) {
			if (first && strcmp(text, first))
				return NULL;
			first = text;
		}
		text += batch->lens[i] + 1;
	}
	return first;
}

void batch_build(struct batch *batch, const struct script *script, const char *const fixed[],
		 int fixed_count, int width, int once)
{
	const char *text = batch->bytes.bytes;
	const char *common = once ? common_text(batch, width, once) : NULL;

	queue_call(&batch->call, script, batch->queue);
	for (int i = 1; i < fixed_count; i++)
		call_text(&batch->call, fixed[i]);
	if (once)
		call_text(&batch->call, common ? common : "");
	for (size_t i = 0; i < batch->items * (size_t)width; i++) {
		if (!common || !is_once(i, width, once))
			call_add(&batch->call, text, batch->lens[i]);
		text += batch->lens[i] + 1;
	}
}

void batch_item(const struct batch *batch, int width, size_t i, const char *texts[], size_t lens[])
{
	const char *text = batch->bytes.bytes;

	for (size_t k = 0; k < (i + 1) * (size_t)width; k++) {
		if (k >= i * (size_t)width) {
			texts[k % (size_t)width] = text;
			lens[k % (size_t)width] = batch->lens[k];
		}
		text += batch->lens[k] + 1;
	}
}

struct batch **batch_list_end(struct batch **list)
{
	while (*list)
		list = &(*list)->next;
	return list;
}

static void batch_free(struct batch *batch)
{
	buf_free(&batch->bytes);
	free(batch->lens);
	free(batch->numbers);
	call_free(&batch->call);
	durability_free(&batch->durability);
	free(batch);
}

void batch_list_free(struct batch *batch)
{
	while (batch) {
		struct batch *next = batch->next;
		batch_free(batch);
		batch = next;
	}
}
