#include "redis/lookup.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/sock_wait.h"

#define FRESH 5000 /* ms: a result that nobody took until then is too old */

/* Its thread writes list, the errors and ended, and last of all to fd: from then on all of it
 * belongs to the main thread. */
struct search {
	struct url_host host;
	struct addrinfo *list;
	int error, system_error; /* of getaddrinfo, and errno */
	int64_t began, ended;    /* clock_ms */
	int fd;                  /* of eventfd(2): readable at the end */
	pthread_t thread;
	bool has_thread;
};

/* of which a thread was started; the result was not taken yet */
static struct search *searches[LOOKUPS_MAX];

static void ask(struct search *s)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICSERV};
	char port[16];

	snprintf(port, sizeof port, "%d", s->host.port);
	s->error = getaddrinfo(s->host.name, port, &hints, &s->list);
	if (s->error != 0 && strcasecmp(s->host.name, "localhost") == 0)
		/* RFC 6761 demands this: a container may have no /etc/hosts */
		s->error = getaddrinfo(NULL, port, &hints, &s->list);
	s->system_error = errno;
	s->ended = clock_ms();
}

static void *thread(void *search)
{
	const uint64_t end = 1;
	int fd = ((struct search *)search)->fd;

	ask(search);
	while (write(fd, &end, sizeof end) < 0 && errno == EINTR)
		;
	return NULL;
}

/* start_thread: signals are for the main thread, whose wait they interrupt. */
static int start_thread(struct search *s)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->has_thread = pthread_create(&s->thread, NULL, thread, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->has_thread ? 0 : -1;
}

static bool has_ended(const struct search *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

/* drop: its thread, if any, has ended or is about to: it still frees what the resolver
 * keeps for it. */
static void drop(struct search *s)
{
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	if (s->list)
		freeaddrinfo(s->list);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

/* --- the list of searches --- */

/* find returns the place of that host's search, which may be empty now: its result was too old.
 * NULL: there is none. */
static struct search **find(const struct url_host *host)
{
	for (int i = 0; i < LOOKUPS_MAX; i++) {
		struct search *s = searches[i];
		if (!s || s->host.port != host->port || strcmp(s->host.name, host->name) != 0)
			continue;
		if (has_ended(s) && clock_ms() - s->ended > FRESH) {
			drop(s);
			searches[i] = NULL;
		}
		return &searches[i];
	}
	return NULL;
}

/* free_place returns a place without a search; NULL: threads have all of them. */
static struct search **free_place(void)
{
	for (int i = 0; i < LOOKUPS_MAX; i++) {
		if (searches[i] && has_ended(searches[i])) {
			drop(searches[i]);
			searches[i] = NULL;
		}
		if (!searches[i])
			return &searches[i];
	}
	return NULL;
}

static struct search *make(const struct url_host *host)
{
	struct search *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->host = *host;
	s->began = clock_ms();
	s->fd = -1;
	return s;
}

/* begin starts the thread of a search. -1: the system allows none. */
static int begin(const struct url_host *host, struct search **place)
{
	struct search *s = make(host);

	if (!s)
		return -1;
	s->fd = eventfd(0, EFD_CLOEXEC);
	if (s->fd < 0 || start_thread(s) < 0) {
		drop(s);
		return -1;
	}
	*place = s;
	return 0;
}

/* --- its outcome --- */

static struct addrinfo *take_result(struct search *s, struct err *e)
{
	struct addrinfo *list = s->error ? NULL : s->list;

	if (s->error == EAI_MEMORY)
		err_memory(e);
	else if (s->error)
		err_set(e, DQ_UNAVAILABLE, "%s",
			s->error == EAI_SYSTEM ? strerror(s->system_error) :
						 gai_strerror(s->error));
	if (s->error)
		e->text[0] = (char)tolower((unsigned char)e->text[0]);
	s->list = NULL;
	drop(s);
	return list;
}

static struct addrinfo *late(struct err *e, int64_t ms)
{
	struct err time;

	err_late(&time, DQ_UNAVAILABLE, ms);
	err_set(e, DQ_UNAVAILABLE, "the lookup of the host %s", time.text);
	return NULL;
}

/* until: how long to wait for s; -1: for ever. */
static int64_t until(const struct search *s, const struct lookup_limit *limit)
{
	int64_t impatient = s->began + limit->patience;

	if (limit->patience == 0)
		return limit->deadline;
	return limit->deadline == -1 ? impatient : clock_sooner(impatient, limit->deadline);
}

static bool is_address(const char *name)
{
	struct in6_addr any;

	return inet_pton(AF_INET, name, &any) == 1 || inet_pton(AF_INET6, name, &any) == 1;
}

/* ask_here: for an IP address the system asks nobody. */
static struct addrinfo *ask_here(const struct url_host *host, struct err *e)
{
	struct search *s = make(host);

	if (!s) {
		err_memory(e);
		return NULL;
	}
	ask(s);
	return take_result(s, e);
}

struct addrinfo *lookup(const struct url_host *host, const struct lookup_limit *limit,
			struct err *e)
{
	struct search **place, *s;
	int ended;

	if (is_address(host->name))
		return ask_here(host, e);
	place = find(host);
	if (!place)
		place = free_place();
	if (!place)
		return late(e, 0);
	if (!*place && begin(host, place) < 0)
		return ask_here(host, e);
	s = *place;
	ended = sock_wait(s->fd, POLLIN, until(s, limit), limit->stop_fd, e);
	if (ended < 0)
		return NULL;
	if (ended == 0)
		return late(e, limit->deadline == -1 ? limit->patience : limit->allowed);
	*place = NULL;
	return take_result(s, e);
}

bool lookup_goes_on(const struct url_host *host, int64_t ms)
{
	struct search **place = find(host);

	return place && *place && !has_ended(*place) && clock_ms() - (*place)->began < ms;
}
