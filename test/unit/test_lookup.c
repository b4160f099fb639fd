#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/lookup.h"
#include "unit.h"

static pthread_t main_thread;
static atomic_bool silent;              /* no lookup ends while this is true */
static atomic_int calls, in_main, deaf;  /* deaf: signals were blocked */

/* Instead of the system's: each host but "unknown" and "localhost" has one address. */
int getaddrinfo(const char *restrict host, const char *restrict port,
		const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
	sigset_t blocked;

	(void)port;
	(void)hints;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	deaf += sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGCHLD) &&
		sigismember(&blocked, SIGPIPE);
	in_main += pthread_equal(pthread_self(), main_thread) != 0;
	calls++;
	while (silent && !(host && strcmp(host, "::1") == 0))
		poll(NULL, 0, 2);
	if (host && (strcmp(host, "unknown") == 0 || strcmp(host, "localhost") == 0))
		return EAI_NONAME;
	*list = calloc(1, sizeof **list);
	return *list ? 0 : EAI_MEMORY;
}

void freeaddrinfo(struct addrinfo *list)
{
	free(list);
}

static struct url_host named(const char *name)
{
	struct url_host host = {.port = 1};

	snprintf(host.name, sizeof host.name, "%s", name);
	return host;
}

static void reset(bool is_silent)
{
	silent = is_silent;
	calls = in_main = deaf = 0;
}

static void finds(const char *name)
{
	const struct url_host host = named(name);
	const struct lookup_limit limit = {.deadline = clock_ms() + 60000, .stop_fd = -1};
	struct err e = {.text = ""};
	struct addrinfo *list = lookup(&host, &limit, &e);

	check_row(list != NULL, name);
	check_text(e.text, "");
	if (list)
		freeaddrinfo(list);
	CHECK(!lookup_goes_on(&host, 60000));
}

static void fails(const char *name, struct lookup_limit limit, enum status status, const char *text)
{
	const struct url_host host = named(name);
	struct err e = {.text = ""};

	check_row(lookup(&host, &limit, &e) == NULL, name);
	check_int(e.status, status);
	check_int(e.fate, FATE_NOT_DONE);
	check_text(e.text, text);
}

static void in_a_thread(void)
{
	struct lookup_limit limit = {.deadline = -1, .stop_fd = -1};
	char text[200];

	reset(false);
	finds("host");
	finds("localhost"); /* unknown: then it is this machine */
	check_int(in_main, 0);
	check_int(deaf, 3);
	snprintf(text, sizeof text, "%s", gai_strerror(EAI_NONAME));
	text[0] = (char)(text[0] | 0x20);
	fails("unknown", limit, DQ_UNAVAILABLE, text);
}

static void an_address(void)
{
	reset(true);
	finds("::1");
	check_int(in_main, 1);
	check_int(deaf, 0);
}

/* One thread, whatever the number of attempts; the last one gets the result. */
static void goes_on(void)
{
	struct lookup_limit limit = {.deadline = clock_ms() + 30, .allowed = 30, .stop_fd = -1};
	const struct url_host host = named("host");
	int stop[2];

	reset(true);
	fails("host", limit, DQ_UNAVAILABLE, "the lookup of the host timed out after 30ms");
	CHECK(lookup_goes_on(&host, 60000));
	CHECK(!lookup_goes_on(&host, 0));
	limit = (struct lookup_limit){.deadline = clock_ms() + 60000, .allowed = 60000,
				      .patience = 40, .stop_fd = -1};
	fails("host", limit, DQ_UNAVAILABLE, "the lookup of the host timed out after 1m0s");
	limit = (struct lookup_limit){.deadline = -1, .patience = 40, .stop_fd = -1};
	fails("host", limit, DQ_UNAVAILABLE, "the lookup of the host timed out after 40ms");
	if (pipe(stop) < 0 || write(stop[1], "", 1) != 1)
		abort();
	limit = (struct lookup_limit){.deadline = -1, .stop_fd = stop[0]};
	fails("host", limit, DQ_STOPPED, "stopped");
	silent = false;
	finds("host");
	check_int(calls, 1);
	close(stop[0]);
	close(stop[1]);
}

static void not_too_many(void)
{
	char name[20];

	reset(true);
	for (int i = 0; i < LOOKUPS_MAX; i++) {
		const struct lookup_limit limit = {.deadline = clock_ms() + 1, .allowed = 1,
						   .stop_fd = -1};
		snprintf(name, sizeof name, "host%d", i);
		fails(name, limit, DQ_UNAVAILABLE, "the lookup of the host timed out after 1ms");
	}
	while (calls < LOOKUPS_MAX)
		poll(NULL, 0, 2);
	fails("more", (struct lookup_limit){.deadline = -1, .stop_fd = -1}, DQ_UNAVAILABLE,
	      "the lookup of the host timed out");
	check_int(calls, LOOKUPS_MAX);
	silent = false;
	for (int i = 0; i < LOOKUPS_MAX / 2; i++) {
		snprintf(name, sizeof name, "host%d", i);
		finds(name);
	}
	check_int(calls, LOOKUPS_MAX);
	finds("more");
	check_int(calls, LOOKUPS_MAX + 1);
}

int main(void)
{
	main_thread = pthread_self();
	in_a_thread();
	an_address();
	goes_on();
	not_too_many();
	return unit_end();
}
