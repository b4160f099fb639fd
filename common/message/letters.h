/* letters: the replies of scripts that work on several items: one letter per item (Reply in
 * lua/put.lua and the others). */
#ifndef DQ_LETTERS_H
#define DQ_LETTERS_H

/* put, load */
enum put_letter {
	PUT_NEW = 'n',
	PUT_SAME = 's', /* a repeat: the first sending had put it */
	PUT_KEPT = 'k',
	PUT_REPLACED = 'r',
	PUT_EARLIER = 'e',
	PUT_LATER = 'l',
	PUT_MOVED = 'm',
	PUT_EDITED = 'p',
	PUT_EXISTS = 'x',
	PUT_DEAD = 'b', /* fail: it exists, and is dead */
	/* fail, keep: the message was acked, and --unique-for still reserves its id */
	PUT_RESERVED = 'v',
	PUT_ABSENT = 'u',
	PUT_OUT_OF_RANGE = 'o', /* the due time */
	PUT_EXPIRED = 'y',      /* the expiry is not after the due time */
	PUT_FULL = 'f',         /* the queue has as many messages as it may have: max-len */
	PUT_UNSURE = '?'        /* a repeat: the id is reserved, perhaps by the first sending */
};

/* ack, retry, bury, extend, giveback */
enum settle_letter {
	SETTLED_OK = 'd',
	SETTLED_DEAD = 'b',  /* retry: its tries are used up */
	SETTLED_STALE = 's', /* the receipt is no longer valid */
	SETTLED_ABSENT = 'u'
};

/* rm, promote_now, redrive, release */
enum apply_letter {
	APPLY_OK = 'd',
	APPLY_ALREADY = 'k', /* promote_now: it is ready or leased */
	APPLY_DEAD = 'b',    /* promote_now, rm: it is dead; release: now it is,
	                      * its tries are used up */
	APPLY_DELAYED = 'y', /* rm: it is in this state, and the caller did not ask for such
	                      * messages; likewise the next three */
	APPLY_DUE = 'e',
	APPLY_READY = 'r',
	APPLY_LEASED = 'l',
	APPLY_STATE = 's',   /* its state is not one that the script works on; rm: it is in none */
	APPLY_OTHER = 'o',   /* release: another consumer has it */
	APPLY_ABSENT = 'u'
};

/* All letters that the scripts of one enum may reply;
 * load_letters: those of put_letter that load may. */
extern const char put_letters[], load_letters[], settle_letters[], apply_letters[];

/* letters_of_state: the letter of rm for a message in that state that it did not remove;
 * APPLY_STATE: in no state. letters_state is the inverse; NULL: the letter has no state. */
enum apply_letter letters_of_state(const char *state);
const char *letters_state(char letter);

#endif
