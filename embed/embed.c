/* embed: expands the includes of a Lua script and writes it as C, with its SHA1, or (-x) as it is.
 *     embed lua/put.lua > put.lua.c
 *     embed -x lua/put.lua > put.lua
 * Runs on the building machine only. Output is written when everything was read: a
 * failure writes nothing. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lean.h"
#include "sha1.h"
#include "text.h"

#define MARK "-- @include "

struct file { /* one being expanded, and who included it */
	const char *path;
	const struct file *by;
};

/* a file that was included; it is forgotten at the end of the block that includes it */
struct seen {
	char *path;
	size_t depth; /* of that block: how far its lines are indented */
	bool forgotten;
};

struct script {
	char *root; /* the directory of the script: includes are relative to it */
	struct text out;
	struct seen *seen;
	size_t nseen;
};

/* --- includes --- */

static struct text read_file(const char *path, const struct file *by)
{
	struct text t = { 0 };
	char bytes[8192];
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f)
		fail("%s%s%s: %s", by ? by->path : "", by ? ": " : "", path, strerror(errno));
	do {
		n = fread(bytes, 1, sizeof bytes, f);
		add(&t, bytes, n);
	} while (n == sizeof bytes);
	if (ferror(f))
		fail("%s: %s", path, strerror(errno));
	fclose(f);
	if (t.len == 0)
		fail("%s: empty", path);
	if (memchr(t.bytes, '\0', t.len))
		fail("%s: holds a NUL byte", path);
	if (t.bytes[t.len - 1] != '\n')
		add(&t, "\n", 1);
	return t;
}

static void add_chain(struct text *chain, const struct file *f, const char *until)
{
	if (f->by && strcmp(f->path, until) != 0)
		add_chain(chain, f->by, until);
	add_text(chain, f->path);
	add_text(chain, " -> ");
}

static void refuse_cycle(const struct file *by, const char *path)
{
	for (const struct file *f = by; f; f = f->by) {
		struct text chain = { 0 };

		if (strcmp(f->path, path) != 0)
			continue;
		add_chain(&chain, by, path);
		add(&chain, path, strlen(path) + 1);
		fail("includes in a cycle: %s", chain.bytes);
	}
}

/* The path in an include line, or NULL for any other line. What only looks like an include is an
 * error, because as a comment it would be lost without a word. */
static char *include_path(const char *line, size_t len, const char *file)
{
	static const char legal[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
	char *path, *text = copy(line, len);
	size_t blank = strspn(text, " \t");
	size_t dash = blank + strspn(text + blank, "-");

	if (dash < blank + 2 ||
	    strncmp(text + dash + strspn(text + dash, " \t"), "@include", 8) != 0) {
		free(text);
		return NULL;
	}
	path = text + blank + strlen(MARK);
	if (strncmp(text + blank, MARK, strlen(MARK)) != 0 || !*path || path[strspn(path, legal)] ||
	    *path == '/' || strstr(path, ".."))
		fail("%s: bad include: \"%s\" (write \"" MARK "lib/NAME.lua\")", file, text);
	path = copy(path, strlen(path));
	free(text);
	return path;
}

/* Keeps path, or frees it. */
static bool dedup_seen(struct script *s, char *path, size_t depth)
{
	for (size_t i = 0; i < s->nseen; i++)
		if (!s->seen[i].forgotten && strcmp(s->seen[i].path, path) == 0) {
			free(path);
			return true;
		}
	s->seen = grow(s->seen, (s->nseen + 1) * sizeof *s->seen);
	s->seen[s->nseen++] = (struct seen) { path, depth, false };
	return false;
}

/* What a block includes is local to it in Lua, and costs a call nothing that does not enter the
 * block. Its lines are indented by depth, which is that of the line that includes it. */
static void forget_deeper(struct script *s, size_t depth)
{
	for (size_t i = 0; i < s->nseen; i++)
		if (s->seen[i].depth > depth)
			s->seen[i].forgotten = true;
}

static void expand(struct script *s, const char *path, const struct file *by, size_t depth)
{
	struct file here = { path, by };
	struct text full = { 0 }, t;

	add_text(&full, s->root);
	add(&full, path, strlen(path) + 1);
	t = read_file(full.bytes, by);
	if ((strncmp(t.bytes, "#!lua", 5) == 0) != !by)
		fail("%s: %s", full.bytes,
		     by ? "a fragment must not start with #!lua" :
			  "a script must start with #!lua");
	for (size_t at = 0; at < t.len;) {
		char *line = t.bytes + at;
		size_t len = (size_t)((char *)memchr(line, '\n', t.len - at) - line);
		size_t here_depth = depth + indentation(line, len);
		char *inner = include_path(line, len, full.bytes);

		at += len + 1;
		if (len > 0)
			forget_deeper(s, here_depth);
		if (!inner) {
			for (size_t i = 0; len > 0 && i < depth; i++)
				add(&s->out, " ", 1);
			add(&s->out, line, len + 1);
			continue;
		}
		refuse_cycle(&here, inner);
		if (!dedup_seen(s, inner, here_depth))
			expand(s, inner, &here, here_depth);
	}
	free(t.bytes);
	free(full.bytes);
}

static struct text expanded(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	struct script s = { 0 };

	s.root = copy(path, (size_t)(base - path));
	expand(&s, base, NULL, 0);
	for (size_t i = 0; i < s.nseen; i++)
		free(s.seen[i].path);
	free(s.seen);
	free(s.root);
	lean(&s.out);
	return s.out;
}

/* --- C --- */

/* Octal escapes have three digits, so that no digit after one joins it; \? leaves no trigraphs. */
static void add_literal(struct text *c, const char *s, size_t len)
{
	char esc[5];

	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (i == 0 || s[i - 1] == '\n')
			add_text(c, i == 0 ? "\n\t\"" : "\"\n\t\"");
		if (ch == '\n') {
			add_text(c, "\\n");
		} else if (ch == '\t') {
			add_text(c, "\\t");
		} else if (strchr("\"\\?", ch)) {
			add_text(c, "\\");
			add(c, s + i, 1);
		} else if (ch < 0x20 || ch > 0x7e) {
			snprintf(esc, sizeof esc, "\\%03o", ch);
			add_text(c, esc);
		} else {
			add(c, s + i, 1);
		}
	}
	add_text(c, "\"");
}

static char *script_name(const char *path)
{
	static const char legal[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strspn(base, legal);

	if (len == 0 || strcmp(base + len, ".lua") != 0)
		fail("%s: a script is named [a-z0-9_]+.lua", path);
	return copy(base, len);
}

static void add_script(struct text *c, const char *path)
{
	char *name = script_name(path), sha[41], head[512];
	struct text lua = expanded(path);

	if (strlen(name) > 100)
		fail("%s: name too long", path);
	sha1_hex(lua.bytes, lua.len, sha);
	snprintf(head, sizeof head, "\nconst struct script script_%s = { \"%s\", \"%s\", %zu,",
		 name, name, sha, lua.len);
	add_text(c, head);
	add_literal(c, lua.bytes, lua.len);
	add_text(c, " };\n");
	free(lua.bytes);
	free(name);
}

int main(int argc, char **argv)
{
	struct text out = { 0 };

	if (argc == 3 && strcmp(argv[1], "-x") == 0) {
		out = expanded(argv[2]);
	} else if (argc == 2 && argv[1][0] != '-') {
		add_text(&out, "/* made by embed from lua/: do not edit */\n"
			       "#include \"redis/script.h\"\n");
		add_script(&out, argv[1]);
	} else {
		fail("usage: embed [-x] SCRIPT.lua");
	}
	if (fwrite(out.bytes, 1, out.len, stdout) != out.len || fflush(stdout) != 0 ||
	    fclose(stdout) != 0)
		fail("stdout: %s", strerror(errno));
	free(out.bytes);
	return 0;
}
