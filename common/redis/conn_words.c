#include <string.h>

#include "redis/conn.h"

int conn_words(struct conn *c, const char *const words[], void *tag, struct err *e)
{
	const char *argv[CONN_WORDS_MAX];
	size_t lens[CONN_WORDS_MAX] = {0};
	int argc = 0;

	for (; argc < CONN_WORDS_MAX && words[argc]; argc++) {
		argv[argc] = words[argc];
		lens[argc] = strlen(words[argc]);
	}
	return conn_send(c, argc, argv, lens, tag, e);
}
