#include "tool/environ.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message/said.h"
#include "tool/descriptors.h"

extern char **environ;

static const char *const own_names[ENVIRON_OWN] = {"DQ_QUEUE", "DQ_ID", "DQ_NAME", "DQ_RECEIPT",
						   "DQ_TRY", "DQ_MAX_TRIES", "DQ_DUE_MS",
						   "DQ_LEASE_UNTIL_MS", "DQ_GIVEN_BACK",
						   SAID_VARIABLE, "DQ_MESSAGE_KEY", "DQ_REASON"};
static const char *const trace_names[ENVIRON_TRACE] = {"TRACEPARENT", "TRACESTATE"};

#define REASON_TEXT 1100 /* take.lua replies at most 1000 bytes */

static bool is_called(const char *var, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(var, name, len) && var[len] == '=';
}

static bool passes_on(const char *var)
{
	if (is_called(var, "REDISCLI_AUTH") || is_called(var, "REDIS_URL") ||
	    is_called(var, "DQ_SENTINEL_PASSWORD"))
		return false;
	for (int i = 0; i < ENVIRON_OWN; i++)
		if (is_called(var, own_names[i]))
			return false;
	/* a message must not get the trace context of the worker */
	for (int i = 0; i < ENVIRON_TRACE; i++)
		if (is_called(var, trace_names[i]))
			return false;
	return true;
}

/* set_file: commands may work in another directory. file may be NULL. A pipe, as of <(...), has no
 * path, and was read: commands have no such file. */
static int set_file(const char *name, const char *file)
{
	char *path = file ? realpath(file, NULL) : NULL;
	int status = !file ? 0 : path ? setenv(name, path, 1) : unsetenv(name);

	free(path);
	return status;
}

/* environ_wipe overwrites the value in place: unsetenv would leave it in /proc/PID/environ, which
 * all processes of the user can read. */
void environ_wipe(const char *name)
{
	for (char **var = environ; var && *var; var++)
		if (is_called(*var, name)) {
			char *value = *var + strlen(name) + 1;
			memset(value, 0, strlen(value));
		}
}

int environ_init(struct environ_base *base, const char *url, const char *prefix, const char *file,
		 const struct tls_conf *tls)
{
	size_t n = 0;

	memset(base, 0, sizeof *base);
	if (setenv("DQ_URL", url, 1) < 0 || setenv("DQ_PREFIX", prefix, 1) < 0 ||
	    set_file("DQ_PASSWORD_FILE", file) < 0 || set_file("DQ_CACERT", tls->cacert) < 0 ||
	    set_file("DQ_CERT", tls->cert) < 0 || set_file("DQ_KEY", tls->key) < 0 ||
	    descriptors_unset(SAID_FD) < 0)
		return -1;
	while (environ && environ[n])
		n++;
	base->vars = calloc(n + ENVIRON_OWN + ENVIRON_TRACE + 1, sizeof *base->vars);
	base->reason = malloc(REASON_TEXT);
	if (!base->vars || !base->reason)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (passes_on(environ[i]))
			base->vars[base->inherited++] = environ[i];
	for (size_t i = 0; i < ENVIRON_OWN - 1; i++)
		base->vars[base->inherited + i] = base->own[i];
	base->vars[base->inherited + ENVIRON_OWN - 1] = base->reason;
	return 0;
}

/* set_reason: a reason may have any bytes, a variable no NUL. */
static void set_reason(char *to, const char *name, const char *reason, size_t len)
{
	size_t at = (size_t)snprintf(to, REASON_TEXT, "%s=", name);

	if (len > REASON_TEXT - at - 1)
		len = REASON_TEXT - at - 1;
	memcpy(to + at, reason, len);
	to[at + len] = 0;
	for (char *nul = to + at; (nul = memchr(nul, 0, (size_t)(to + at + len - nul)));)
		*nul = ' ';
}

static void set_trace(struct environ_base *base, const struct trace *t)
{
	char **var = base->vars + base->inherited + ENVIRON_OWN;

	snprintf(base->trace[0], sizeof base->trace[0], "%s=%.*s", trace_names[0],
		 (int)t->parent_len, t->parent ? t->parent : "");
	snprintf(base->trace[1], sizeof base->trace[1], "%s=%s", trace_names[1], t->state);
	var[0] = t->parent ? base->trace[0] : NULL;
	var[1] = t->state[0] ? base->trace[1] : NULL; /* only with a traceparent */
}

char **environ_for(struct environ_base *base, const char *queue, const char *token,
		   const struct delivery *d, const char *key)
{
	const long long numbers[] = {d->tries.counted, d->max_tries, d->due, d->lease_until,
				     d->tries.given_back};

	snprintf(base->own[0], ENVIRON_TEXT, "%s=%s", own_names[0], queue);
	snprintf(base->own[1], ENVIRON_TEXT, "%s=%s", own_names[1], d->id);
	snprintf(base->own[2], ENVIRON_TEXT, "%s=%s/%s", own_names[2], queue, d->id);
	snprintf(base->own[3], ENVIRON_TEXT, "%s=%s/%s@%s", own_names[3], queue, d->id, token);
	for (int i = 0; i < 5; i++)
		snprintf(base->own[4 + i], ENVIRON_TEXT, "%s=%lld", own_names[4 + i], numbers[i]);
	snprintf(base->own[9], ENVIRON_TEXT, "%s=%s", own_names[9], key);
	snprintf(base->own[10], ENVIRON_TEXT, "%s=%.*s", own_names[10],
		 (int)name_key_len(d->id, d->id_len), d->id);
	set_reason(base->reason, own_names[11], d->reason, d->reason_len);
	set_trace(base, &d->trace);
	return base->vars;
}

void environ_free(struct environ_base *base)
{
	free(base->vars);
	free(base->reason);
	base->vars = NULL;
	base->reason = NULL;
}
