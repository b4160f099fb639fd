/* spawn ROUNDS -- CMD ARG... -- CMD ARG...: runs each command in turn, ROUNDS times, stdout to
 * /dev/null, and prints a line for each command: median and mean time of its process in us. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { COMMANDS = 8 };

extern char **environ;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double run(char **argv)
{
	posix_spawn_file_actions_t actions;
	double start = now_us();
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (errno || waitpid(pid, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "spawn: %s failed\n", argv[0]);
		exit(1);
	}
	return now_us() - start;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void tell(double *times, int n)
{
	double sum = 0;

	qsort(times, (size_t)n, sizeof *times, by_size);
	for (int i = 0; i < n; i++)
		sum += times[i];
	printf("%.1f\t%.1f\n", times[n / 2], sum / n);
}

int main(int argc, char **argv)
{
	char **command[COMMANDS];
	double *times[COMMANDS];
	int rounds = argc > 2 ? atoi(argv[1]) : 0, n = 0;

	for (int i = 2; i < argc && n < COMMANDS; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			times[n] = calloc((size_t)rounds, sizeof **times);
			command[n++] = argv + i + 1;
		}
	if (rounds < 1 || n == 0)
		return 64;
	for (int k = -1; k < rounds; k++)
		for (int i = 0; i < n; i++) {
			double us = run(command[i]);
			if (k >= 0) /* the first round only warms up */
				times[i][k] = us;
		}
	for (int i = 0; i < n; i++)
		tell(times[i], rounds);
	return 0;
}
