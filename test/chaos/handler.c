/* handler LOG: what dq-run runs. It writes to LOG, as lines of history.py, what it got and how it
 * will end: mostly well, and otherwise by the payload and the try, so that a message does not
 * fail for ever. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 1 << 20, SLOW_MS = 900 };

static char payload[LONGEST];

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The same as Python's zlib.crc32. */
static uint32_t checksum(const char *bytes, size_t len)
{
	uint32_t sum = ~0U;

	while (len--) {
		sum ^= (unsigned char)*bytes++;
		for (int i = 0; i < 8; i++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320U : 0);
	}
	return ~sum;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		exit(66);
	return value;
}

/* log_line: one write, so that lines of many handlers do not mix. */
static void log_line(int fd, const char *line, int len)
{
	if (write(fd, line, (size_t)len) != len)
		exit(74);
}

static int fate(uint32_t sum, int try)
{
	static const int fates[16] = {0, 0, 0, 1, 0, 0, 75, 0, 0, 0, 65, 0, 0, 0, 0, 1};

	return try > 3 ? 0 : fates[(sum + (uint32_t)try) % 16];
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0600) : -1, code;
	const char *id = variable("DQ_RECEIPT"), *token = strchr(id, '@') + 1;
	size_t len = fread(payload, 1, sizeof payload, stdin);
	uint32_t sum = checksum(payload, len);
	char line[1024];
	int name = (int)(token - id) - 1; /* QUEUE/ID */

	if (fd < 0)
		return 73;
	log_line(fd, line,
		 snprintf(line, sizeof line,
			  "{\"type\":\"ok\",\"t\":%lld,\"what\":\"take\",\"id\":\"%.*s\","
			  "\"token\":%s,\"key\":\"%.*s\",\"sum\":%u,\"try_\":%s,\"tries\":%s,"
			  "\"due\":%s,\"until\":%s,\"by\":\"dq-run\"}\n",
			  now(), name, id, token, (int)strcspn(payload, " "), payload, sum,
			  variable("DQ_TRY"), variable("DQ_MAX_TRIES"), variable("DQ_DUE_MS"),
			  variable("DQ_LEASE_UNTIL_MS")));
	code = fate(sum, atoi(variable("DQ_TRY")));
	if (sum % 23 == 0)
		/* its lease must be renewed */
		nanosleep(&(struct timespec){.tv_nsec = SLOW_MS * 1000000L}, NULL);
	log_line(fd, line,
		 snprintf(line, sizeof line,
			  "{\"type\":\"invoke\",\"t\":%lld,\"what\":\"settle\",\"id\":\"%.*s\","
			  "\"token\":%s,\"verb\":\"%s\",\"by\":\"dq-run\"}\n",
			  now(), name, id, token,
			  code == 0  ? "ack" :
			  code == 65 ? "bury" :
				       "retry"));
	return code;
}
