/* started: a command of dq-run that writes how late it was started,
 * in us after its message was due (CLOCK_REALTIME). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
	const char *due = getenv("DQ_DUE_MS");
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (!due)
		return 64;
	printf("%lld\n", (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000 - atoll(due) * 1000);
	return 0;
}
