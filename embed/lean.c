#include "lean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char LOCAL[] = "local function ";

static bool in_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static size_t name_length(const char *name)
{
	size_t len = 0;

	while (in_name(name[len]))
		len++;
	return len;
}

/* The end of a token: a text, a comment, a name or number, or one other character. */
static const char *token_end(const char *at, const char *eol)
{
	const char *end = at + 1;

	if (strncmp(at, "--", 2) == 0)
		return eol;
	if (*at == '\'' || *at == '"') {
		while (end < eol && *end != *at)
			end += *end == '\\' ? 2 : 1;
		return end < eol ? end + 1 : eol;
	}
	while (in_name(*at) && end < eol && in_name(*end))
		end++;
	return end;
}

/* Is the name in that text, outside of comments that have a line to themselves, and but for a
 * function of that name? */
static bool names(const char *at, const char *end, const char *name, size_t len)
{
	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		const char *code = at + indentation(at, (size_t)(eol - at));

		if (strncmp(code, LOCAL, strlen(LOCAL)) == 0)
			code += strlen(LOCAL) + name_length(code + strlen(LOCAL));
		for (at = strncmp(code, "--", 2) == 0 ? eol : code; at + len <= eol; at++)
			if (strncmp(at, name, len) == 0 && !in_name(at[len]) &&
			    (at == code || !in_name(at[-1])))
				return true;
		at = eol + 1;
	}
	return false;
}

/* The end of a line's code: of what stands before its comment. */
static const char *code_end(const char *line, const char *eol)
{
	const char *end = line;

	for (const char *at = line; at < eol && strncmp(at, "--", 2) != 0; at = token_end(at, eol))
		if (*at != ' ')
			end = token_end(at, eol);
	return end;
}

/* The end of the function that begins at line: behind its "end", which is the last word of that
 * line, or stands below "local". */
static char *function_end(char *line, const char *end)
{
	char *eol = memchr(line, '\n', (size_t)(end - line));
	size_t depth = indentation(line, (size_t)(eol - line));
	const char *last = code_end(line, eol);

	if (last - line > 4 && strncmp(last - 4, " end", 4) == 0)
		return eol + 1;
	for (char *at = eol + 1; at < end; at = eol + 1) {
		eol = memchr(at, '\n', (size_t)(end - at));
		last = code_end(at, eol);
		if ((size_t)(last - at) == depth + 3 && indentation(at, depth + 3) == depth &&
		    strncmp(at + depth, "end", 3) == 0)
			return eol + 1;
	}
	fail("a function has no end: %.60s", line);
}

/* Takes one out. false: there is none. */
static bool drop_unused(struct text *t)
{
	char *end = t->bytes + t->len;

	for (char *line = t->bytes; line < end;
	     line = (char *)memchr(line, '\n', (size_t)(end - line)) + 1) {
		char *name = line + strspn(line, " ") + strlen(LOCAL), *after;
		size_t len;

		if (strncmp(line + strspn(line, " "), LOCAL, strlen(LOCAL)) != 0)
			continue;
		len = name_length(name);
		after = function_end(line, end);
		if (names(t->bytes, line, name, len) || names(after, end, name, len))
			continue;
		memmove(line, after, (size_t)(end - after));
		t->len -= (size_t)(after - line);
		return true;
	}
	return false;
}

/* --- constants --- */

struct constant { /* places in the text that defines it */
	const char *name, *value;
	size_t name_len, value_len;
};

/* Is this line, to eol, the definition of a constant? */
static bool defines(const char *line, const char *eol, struct constant *c)
{
	static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *rest;

	if (eol - line < 10 || strncmp(line, "local ", 6) != 0)
		return false;
	c->name = line + 6;
	c->name_len = strspn(c->name, capitals);
	c->value = c->name + c->name_len + 3;
	if (c->name_len == 0 || strncmp(c->name + c->name_len, " = ", 3) != 0)
		return false;
	if (*c->value == '\'')
		c->value_len = strcspn(c->value + 1, "\\'\n") + 2;
	else
		c->value_len = strspn(c->value, "0123456789");
	rest = c->value + c->value_len;
	return c->value_len > 0 && (c->value[0] != '\'' || rest[-1] == '\'') &&
	       (rest == eol || strncmp(rest, " --", 3) == 0);
}

/* The value of that name, or NULL: it is no constant, or a field, which stands behind a dot. */
static const struct constant *value_of(const char *line, const char *name, size_t len,
				       const struct constant *all, size_t n)
{
	if (name > line && name[-1] == '.' && !(name > line + 1 && name[-2] == '.'))
		return NULL;
	while (n-- > 0)
		if (all[n].name_len == len && strncmp(all[n].name, name, len) == 0)
			return &all[n];
	return NULL;
}

static void add_line(struct text *to, const char *line, const char *eol, const struct constant *all,
		     size_t n)
{
	for (const char *at = line, *end; at < eol; at = end) {
		const struct constant *c;

		end = token_end(at, eol);
		c = value_of(line, at, (size_t)(end - at), all, n);
		if (c)
			add(to, c->value, c->value_len);
		else
			add(to, at, (size_t)(end - at));
	}
	add(to, "\n", 1);
}

static struct text constants_in_place(const struct text *lua)
{
	struct text out = { 0 };
	struct constant *all = NULL;
	size_t n = 0;

	for (const char *line = lua->bytes, *eol; line < lua->bytes + lua->len; line = eol + 1) {
		struct constant c;

		eol = memchr(line, '\n', (size_t)(lua->bytes + lua->len - line));
		if (!defines(line, eol, &c)) {
			add_line(&out, line, eol, all, n);
			continue;
		}
		all = grow(all, (n + 1) * sizeof *all);
		all[n++] = c;
	}
	free(all);
	return out;
}

void lean(struct text *lua)
{
	struct text out = constants_in_place(lua);

	free(lua->bytes);
	*lua = out;
	while (drop_unused(lua))
		;
}
