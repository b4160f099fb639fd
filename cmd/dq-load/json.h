/* json: reads one JSON object whose members are known, in place: RFC 8259, and no more than dq
 * writes: texts, whole numbers, true, false, null, lists of whole numbers, and objects of these and
 * of null. Pure. */
#ifndef DQ_JSON_H
#define DQ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum json_kind {
	JSON_ABSENT, JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT
};

struct json {
	enum json_kind kind;
	int64_t number;   /* JSON_NUMBER; JSON_BOOL: 0 or 1 */
	char *text;       /* JSON_TEXT: UTF-8, unescaped, any bytes; JSON_LIST: for json_next;
	                   * JSON_OBJECT: for json_read */
	size_t len;
};

/* json_read parses the len bytes at s, which it changes, as one object. values[i] becomes the value
 * of member keys[i] (NULL-ended). An unknown or repeated member is an error. Numbers must be whole,
 * from -(2^53 - 1) to 2^53 - 1: other programs read only these exactly. Errors are DQ_DATA and name
 * the byte, from 1. */
int json_read(char *s, size_t len, const char *const keys[], struct json values[], struct err *e);

/* json_next returns the next number of a list; start with *at = 0. false: the list has ended. */
bool json_next(const struct json *list, size_t *at, int64_t *n);

/* json_next_member likewise returns the next member of an object: its name, and its value,
 * a number or null. */
bool json_next_member(const struct json *object, size_t *at, char **name, size_t *len,
		      struct json *value);

#endif
