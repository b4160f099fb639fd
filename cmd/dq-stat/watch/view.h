/* view: the screen of dq-stat --watch: the numbers, the user's choices, and how to draw them.
 * Pure. */
#ifndef DQ_VIEW_H
#define DQ_VIEW_H

#include "canvas.h"
#include "../due_within.h"
#include "history.h"

enum view_order {
	ORDER_TROUBLE, ORDER_NAME, ORDER_DELAYED, ORDER_READY, ORDER_LATE, ORDER_PUT, ORDERS
};

#define VIEW_TROUBLE 300

struct view {
	struct rows rows;
	struct history history;
	int64_t due[DUE_BOUNDS + 1]; /* delayed messages of the queues on the screen, by due time */
	const char *server;              /* its address; who: its name, version and role */
	char who[160];
	char trouble[VIEW_TROUBLE];      /* why the connection is lost; "": it is open */
	int64_t every;                   /* ms between polls */
	int columns, height;
	enum view_order order;
	bool idle;                       /* show idle queues as rows, too */
	bool stopped;
	bool one;                        /* show only the selected queue */
	char selected[NAME_MAX_BYTES + 1]; /* "": none */
	size_t first;                    /* index of the top row */
};

/* view_arrange sorts the rows, and scrolls to the selected one. view_busy: rows that are not in the
 * line of idle queues, which come last. view_shown: rows on the screen, from *from on. view_move
 * selects the next row, or the previous one if less than 0. */
size_t view_busy(const struct view *v);
void view_arrange(struct view *v);
size_t view_shown(const struct view *v, size_t *from);
void view_move(struct view *v, int rows);
const struct row *view_selected(const struct view *v); /* NULL: none */

/* view_draw adds a frame. c needs out, colour and blocks. */
void view_draw(const struct view *v, struct canvas *c);

/* What view_draw uses for one queue (view_queue.c), and for both views. */
void view_one(const struct view *v, struct canvas *c, const struct row *r);
void view_spark(struct canvas *c, const struct track *t, enum row_counter counter, int width);
void view_rate(double rate, char out[CELL_TEXT]);
extern const char *const view_due[DUE_BOUNDS + 1];
void view_late(const struct view *v, const struct row *only, int64_t late[ROWS_LATE]);

#endif
