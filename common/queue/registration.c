#include "queue/registration.h"

#include <string.h>

#include "queue/registry.h"

bool registration_needed(const struct registration *r, const char *generation, unsigned sent_at)
{
	return sent_at == r->ended || strcmp(generation, r->generation) != 0;
}

void registration_begin(struct registration *r, struct queue *q, const char *generation)
{
	r->step = REGISTRATION_ADD;
	r->queue = q;
	r->added = false;
	strcpy(r->generation, generation);
}

void registration_again(struct registration *r)
{
	if (r->step == REGISTRATION_NOTE)
		r->step = REGISTRATION_ADD;
}

int registration_send(struct registration *r, struct conn *conn, struct err *e)
{
	bool added = r->added;

	r->added = false;
	if (added && registry_announce(r->queue, r->conn, e) < 0)
		return -1;
	if (r->step == REGISTRATION_ADD)
		registry_add_call(&r->call, r->queue, r->generation);
	else
		registry_listed_call(&r->call, r->queue, r->generation);
	if (script_way(conn, &r->call, NULL, &r->conn, e) < 0 || script_send(r->conn, &r->call, e) < 0)
		return -1;
	conn_push(r->conn);
	return 0;
}

int registration_next(struct registration *r, struct err *e)
{
	if (r->step == REGISTRATION_NOTE) {
		registration_end(r); /* whatever the reply: the list has the name, and nothing else matters */
		return 0;
	}
	if (script_check(&r->call, e) < 0)
		return -1;
	r->step = REGISTRATION_NOTE;
	r->added = registry_added(&r->call);
	return 1;
}

void registration_end(struct registration *r)
{
	r->step = REGISTRATION_NONE;
	r->ended++;
}

void registration_free(struct registration *r)
{
	call_free(&r->call);
}
