#include "queue/letters.h"

const char put_letters[] = {PUT_NEW,    PUT_SAME,   PUT_KEPT,         PUT_REPLACED, PUT_EARLIER, PUT_LATER,
			    PUT_EXISTS, PUT_RESERVED, PUT_ABSENT, PUT_OUT_OF_RANGE, PUT_EXPIRED,  PUT_UNSURE,  '\0'};
const char settle_letters[] = {SETTLED_OK, SETTLED_DEAD, SETTLED_STALE, SETTLED_ABSENT, '\0'};
const char apply_letters[] = {APPLY_OK,    APPLY_ALREADY, APPLY_DEAD,  APPLY_DELAYED, APPLY_DUE,
			      APPLY_READY, APPLY_LEASED,  APPLY_STATE, APPLY_ABSENT,  '\0'};
