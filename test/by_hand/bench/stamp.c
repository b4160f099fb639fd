/* stamp: copies lines from stdin to stdout, each after its time of arrival (us since 1970,
 * CLOCK_REALTIME) and a TAB. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	static char bytes[1 << 16];
	struct timespec t;
	size_t len = 0;
	ssize_t n;

	while ((n = read(0, bytes + len, sizeof bytes - len)) > 0) {
		char *line = bytes, *end;
		clock_gettime(CLOCK_REALTIME, &t);
		len += (size_t)n;
		while ((end = memchr(line, '\n', len - (size_t)(line - bytes)))) {
			printf("%lld\t%.*s\n", (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000,
			       (int)(end - line), line);
			line = end + 1;
		}
		fflush(stdout);
		len -= (size_t)(line - bytes);
		memmove(bytes, line, len);
		if (len == sizeof bytes)
			return 1;
	}
	return n < 0;
}
