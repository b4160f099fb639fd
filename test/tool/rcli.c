/* rcli: asks Redis, and prints what redis-cli prints where its output is no terminal. Tests start
 * it thousands of times; it starts in a fraction of redis-cli's time.
 *
 *   rcli -s SOCKET [-e] [-x] [--raw] [-n DB] [--user NAME] [--pass PASSWORD] [WORD...]
 *
 * -e: an error goes to stderr, and the status is 1. -x: the last word is standard input. Without a
 * word each line of standard input is a request: words between blanks, or in double quotes.
 * REDISCLI_AUTH may have the password. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static FILE *in, *out; /* the connection */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "%s%s\n", what, why);
	exit(1);
}

static void dial(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (snprintf(to.sun_path, sizeof(to.sun_path), "%s", path) >= (int)sizeof(to.sun_path))
		die("Could not connect to Redis: path too long: ", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("Could not connect to Redis: ", strerror(errno));
	in = fdopen(fd, "r");
	out = fdopen(dup(fd), "w");
	if (!in || !out)
		die("Could not connect to Redis: ", strerror(errno));
}

/* show prints a reply, without the newline that ends it.
 * An error goes to `errors`, and makes it -1. */
static int show(FILE *to, FILE *errors)
{
	static char *line; /* long after MONITOR */
	static size_t cap;
	int bad = 0;
	long n;

	if (getline(&line, &cap, in) < 3)
		die("Error: Server closed the connection", "");
	line[strcspn(line, "\r")] = 0;
	n = strtol(line + 1, NULL, 10);
	if (line[0] == '-') {
		fprintf(errors, "%s\n", line + 1);
		bad = -1;
	} else if (line[0] == '*') {
		for (long i = 0; i < n; i++) {
			fputs(i ? "\n" : "", to);
			bad |= show(to, errors);
		}
	} else if (line[0] == '$') {
		for (long i = 0; i < n; i++)
			putc(getc(in), to);
		if (n >= 0 && (getc(in) != '\r' || getc(in) != '\n'))
			die("Error: Server closed the connection", "");
	} else {
		fputs(line + 1, to);
	}
	return bad;
}

/* closed: does redis-cli take the reply to end with a newline of its own? */
static int closed(char **words, int count)
{
	return strcasecmp(words[0], "INFO") == 0 ||
	       (count > 1 && strcasecmp(words[0], "CLIENT") == 0 &&
		strcasecmp(words[1], "LIST") == 0);
}

/* ask sends the words and, unless it is NULL, `last`, and prints the reply;
 * after MONITOR, all that comes. */
static int ask(char **words, int count, const char *last, size_t len, FILE *to, FILE *errors)
{
	int bad;

	fprintf(out, "*%d\r\n", count + (last != NULL));
	for (int i = 0; i < count; i++)
		fprintf(out, "$%zu\r\n%s\r\n", strlen(words[i]), words[i]);
	if (last) {
		fprintf(out, "$%zu\r\n", len);
		fwrite(last, 1, len, out);
		fputs("\r\n", out);
	}
	fflush(out);
	do {
		bad = show(to, errors);
		if (bad ? errors == to : !closed(words, count))
			fputc('\n', to);
		fflush(to);
	} while (bad == 0 && strcasecmp(words[0], "MONITOR") == 0);
	return bad;
}

static void ask_line(char *line)
{
	char *words[64];
	int count = 0;

	for (char *p = line + strspn(line, " \t\n"); *p && count < 64; p += strspn(p, " \t\n")) {
		const char *end = *p == '"' ? "\"" : " \t\n";

		words[count++] = p += *p == '"';
		p += strcspn(p, end);
		if (*p)
			*p++ = 0;
	}
	if (count)
		ask(words, count, NULL, 0, stdout, stdout);
}

int main(int argc, char **argv)
{
	static const struct option names[] = {{"raw", 0, NULL, 'r'},
					      {"no-auth-warning", 0, NULL, 'r'},
					      {"user", 1, NULL, 'u'}, {"pass", 1, NULL, 'p'}, {0}};
	static char text[1 << 24]; /* more than a message may have */
	char *user = NULL, *password = getenv("REDISCLI_AUTH"), *base[] = {"SELECT", NULL};
	FILE *errors = stdout, *nowhere = fopen("/dev/null", "w");
	int c, whole = 0;
	size_t len;

	while ((c = getopt_long(argc, argv, "+s:n:ex", names, NULL)) != -1) {
		if (c == 's')
			dial(optarg);
		else if (c == 'n')
			base[1] = optarg;
		else if (c == 'u')
			user = optarg;
		else if (c == 'p')
			password = optarg;
		else if (c == 'e')
			errors = stderr;
		else if (c == 'x')
			whole = 1;
		else if (c != 'r')
			return 1;
	}
	if (!in || !nowhere)
		die("rcli: -s SOCKET is missing", "");
	if (password)
		ask((char *[]){"AUTH", user ? user : password, password}, user ? 3 : 2, NULL, 0,
		    nowhere, stderr);
	if (base[1])
		ask(base, 2, NULL, 0, nowhere, stderr);
	len = whole ? fread(text, 1, sizeof(text), stdin) : 0;
	if (optind < argc)
		return ask(argv + optind, argc - optind, whole ? text : NULL, len, stdout,
			   errors) < 0 &&
		       errors == stderr;
	while (fgets(text, sizeof(text), stdin))
		ask_line(text);
	return 0;
}
