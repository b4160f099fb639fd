#include "tool/argv.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tool/die.h"

#define NAME_MAX_CHARS 24 /* of options, known ones and mistyped ones */
#define SHOWN 80

static bool dashes; /* "--" ended the options */

static size_t name_len(const char *name)
{
	return strcspn(name, "=");
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* distance counts the letters to change, insert, drop, or swap with the next one. */
static int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int d[NAME_MAX_CHARS + 1][NAME_MAX_CHARS + 1];

	for (size_t i = 0; i <= a_len; i++)
		for (size_t j = 0; j <= b_len; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = (int)(i + j);
				continue;
			}
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			d[i][j] = least(d[i][j], least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[a_len][b_len];
}

/* nearest is the option that name most resembles, or NULL: up to one wrong letter in a short name,
 * two in a longer one. */
static const char *nearest(const char *name, const struct option *options)
{
	size_t len = name_len(name);
	int best = len < 5 ? 2 : 3;
	const char *found = NULL;

	if (len < 3 || len > NAME_MAX_CHARS)
		return NULL;
	for (const struct option *o = options; o->name; o++) {
		int off = distance(name, len, o->name, strlen(o->name));
		if (off < best) {
			best = off;
			found = o->name;
		}
	}
	return found;
}

static bool begins(const struct option *o, const char *name)
{
	return !strncmp(o->name, name, name_len(name));
}

static bool is_name(const struct option *o, const char *name)
{
	return strlen(o->name) == name_len(name) && begins(o, name);
}

/* one_dash: getopt reads "-priority" as "-p riority", and would complain about riority. Of the
 * names of options only "id" makes sense as letters (an id of one letter); "help" has the same
 * effect both ways. */
static void one_dash(const char *word, const struct option *options)
{
	if (word[0] != '-' || word[1] == '-')
		return;
	for (const struct option *o = options; o->name; o++)
		if (is_name(o, word + 1) && strcmp(o->name, "id") != 0 &&
		    strcmp(o->name, "help") != 0)
			die_usage("-%s: did you mean --%s?", o->name, o->name);
}

static void bad_letter(const char *word, const struct option *options)
{
	const char letter = (char)optopt, *meant = nearest(word + 1, options);
	char shown[SHOWN];

	if (meant)
		die_usage("%s: unknown option: did you mean --%s?",
			  text_shown(shown, sizeof shown, word, strlen(word)), meant);
	die_usage("-%s: unknown option", text_shown(shown, sizeof shown, &letter, 1));
}

/* match returns the option of that name, or the only one with that beginning. NULL: none, or
 * several: then which lists them. */
static const char *match(const char *name, const struct option *options, char *which, size_t cap)
{
	const char *found = NULL;
	size_t len = 0, count = 0;

	for (const struct option *o = options; o->name; o++) {
		if (is_name(o, name))
			return o->name;
		if (!begins(o, name) || len >= cap)
			continue;
		len += (size_t)snprintf(which + len, cap - len, "%s--%s", count++ ? ", " : "",
					o->name);
		found = o->name;
	}
	return count == 1 ? found : NULL;
}

static void bad_name(const char *name, const struct option *options)
{
	char shown[SHOWN], which[200] = "";
	const char *found = match(name, options, which, sizeof which),
		   *meant = nearest(name, options);

	text_shown(shown, sizeof shown, name, name_len(name));
	if (found)
		die_usage("--%s: takes no argument", found);
	if (which[0])
		die_usage("--%s: ambiguous: one of %s", shown, which);
	if (meant)
		die_usage("--%s: unknown option: did you mean --%s?", shown, meant);
	die_usage("--%s: unknown option", shown);
}

static void no_argument_given(const char *word)
{
	const char letter = (char)optopt;
	char shown[SHOWN];

	if (word[1] == '-')
		die_usage("%s: needs an argument",
			  text_shown(shown, sizeof shown, word, strlen(word)));
	die_usage("-%s: needs an argument", text_shown(shown, sizeof shown, &letter, 1));
}

int argv_next(int argc, char **argv, const char *letters, const struct option *options)
{
	/* optind at the beginning of the present word; the letters of one word share it */
	static int at;
	static const char *word = "";
	int c;

	if (optind != at && optind < argc) {
		word = argv[optind];
		one_dash(word, options);
	}
	at = optind;
	c = getopt_long(argc, argv, letters, options, NULL);
	if (c == '?' && word[1] == '-')
		bad_name(word + 2, options);
	if (c == '?')
		bad_letter(word, options);
	if (c == ':')
		no_argument_given(word);
	dashes = c == -1 && optind > at;
	return c;
}

struct operands argv_operands(int argc, char **argv)
{
	struct operands o = {.words = argv + optind, .count = argc - optind};
	char shown[SHOWN];

	for (o.literal = 0; !dashes && o.literal < o.count; o.literal++) {
		const char *word = o.words[o.literal];
		if (!strcmp(word, "--")) {
			memmove(o.words + o.literal, o.words + o.literal + 1,
				(size_t)(o.count - o.literal) * sizeof *o.words);
			o.count--;
			break;
		}
		if (word[0] == '-' && word[1])
			die_usage("%s: options go before operands, and operands that begin "
				  "with - after --",
				  text_shown(shown, sizeof shown, word, strlen(word)));
	}
	return o;
}
