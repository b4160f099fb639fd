#include "message/letters.h"

#include <stddef.h>
#include <string.h>

const char put_letters[] = {PUT_NEW, PUT_SAME, PUT_KEPT, PUT_REPLACED, PUT_EARLIER, PUT_LATER,
			    PUT_MOVED, PUT_EDITED, PUT_EXISTS, PUT_DEAD, PUT_RESERVED, PUT_ABSENT,
			    PUT_OUT_OF_RANGE, PUT_EXPIRED, PUT_FULL, PUT_UNSURE, '\0'};
const char load_letters[] = {PUT_NEW, PUT_SAME, PUT_REPLACED, PUT_KEPT, PUT_EXISTS, PUT_RESERVED,
			     '\0'};
const char settle_letters[] = {SETTLED_OK, SETTLED_DEAD, SETTLED_STALE, SETTLED_ABSENT, '\0'};
const char apply_letters[] = {APPLY_OK,    APPLY_ALREADY, APPLY_DEAD,  APPLY_DELAYED, APPLY_DUE,
			      APPLY_READY, APPLY_LEASED, APPLY_STATE, APPLY_OTHER, APPLY_ABSENT,
			      '\0'};

static const struct {
	enum apply_letter letter;
	const char *state;
} states[] = {{APPLY_DELAYED, "delayed"}, {APPLY_DUE, "due"}, {APPLY_READY, "ready"},
	      {APPLY_LEASED, "leased"}, {APPLY_DEAD, "dead"}};

enum apply_letter letters_of_state(const char *state)
{
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(state, states[i].state))
			return states[i].letter;
	return APPLY_STATE;
}

const char *letters_state(char letter)
{
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (letter == (char)states[i].letter)
			return states[i].state;
	return NULL;
}
