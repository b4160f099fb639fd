#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "tool/input.h"
#include "unit.h"

#define SLACK (512 * 1024) /* how far beyond its limit a reader may grow */

struct feed {
	int fd;
	pid_t writer;
};

/* A write that was stopped in its middle has written less. */
static void write_all(int fd, const char *data, size_t len, size_t chunk)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, data + at, len - at < chunk ? len - at : chunk);
		if (n < 0)
			_exit(1);
		at += (size_t)n;
	}
}

/* packets: each read gets one chunk exactly, so that the read boundaries are known. */
static struct feed feed_start(const char *data, size_t len, size_t chunk, size_t times,
			      bool packets)
{
	struct feed f;
	int ends[2];

	if ((packets ? socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) : pipe(ends)) < 0)
		abort();
	f.fd = ends[0];
	f.writer = fork();
	if (f.writer == 0) {
		close(ends[0]);
		for (; times > 0; times--)
			write_all(ends[1], data, len, chunk);
		_exit(0);
	}
	close(ends[1]);
	return f;
}

static void feed_end(struct feed f)
{
	close(f.fd);
	waitpid(f.writer, NULL, 0);
}

/* Every record as [record], a too long one as !, the end as a full stop. */
static void read_all(struct input *in, struct buf *log)
{
	for (;;) {
		struct err e = { 0 };
		char *record = NULL, shown[300];
		size_t len = 0;
		enum input_got got = input_next(in, &record, &len, &e);

		if (got == INPUT_RECORD)
			buf_format(log, "[%s]", text_shown(shown, sizeof shown, record, len));
		if (got == INPUT_TOO_LONG)
			buf_char(log, '!');
		if (got == INPUT_ERROR)
			buf_format(log, "error %d", (int)e.status);
		if (got == INPUT_ERROR || got == INPUT_END)
			break;
	}
	buf_add(log, ".", 2);
}

/* text: of the record, or NULL. Returns the status of an error. */
static enum status next_is(struct input *in, enum input_got want, const char *text)
{
	struct err e = { 0 };
	char *record = NULL;
	size_t len = 0;

	check_int(input_next(in, &record, &len, &e), want);
	if (text != NULL)
		check_bytes(record, len, text, strlen(text));
	return e.status;
}

static void reads_so(const char *data, size_t len, int delimiter, size_t limit, const char *want)
{
	static const size_t chunks[] = { 1, 2, 3, 5, 7, 1000 };

	for (size_t i = 0; i < 2 * sizeof chunks / sizeof chunks[0]; i++) {
		struct feed f = feed_start(data, len, chunks[i / 2], 1, i % 2 == 0);
		struct buf log = { 0 };
		struct input in;

		input_init(&in, f.fd, -1, delimiter, limit);
		read_all(&in, &log);
		check_text(log.bytes, want);
		next_is(&in, INPUT_END, NULL);
		CHECK(!input_waits(&in));
		input_free(&in);
		buf_free(&log);
		feed_end(f);
	}
}

static void records_are_cut(void)
{
	reads_so("", 0, '\n', 100, ".");
	reads_so("a\nbb\nccc\n", 9, '\n', 100, "[a][bb][ccc].");
	reads_so("a\nbb", 4, '\n', 100, "[a][bb].");
	reads_so("\n", 1, '\n', 100, "[].");
	reads_so("\n\na\n\n", 5, '\n', 100, "[][][a][].");
	reads_so("a\r\nb", 4, '\n', 100, "[a\\r][b].");
	reads_so("a\0b\nc\0\n\0", 8, '\n', 100, "[a\\0b][c\\0][\\0].");
	reads_so("a\nb\0c\0\0d", 8, '\0', 100, "[a\\nb][c][][d].");
	reads_so("a\377b\377", 4, 0377, 100, "[a][b].");
}

static void limit_holds(void)
{
	reads_so("abc\nabcd\nabcde\nz\n", 17, '\n', 4, "[abc][abcd]![z].");
	reads_so("abc", 3, '\n', 4, "[abc].");
	reads_so("abcd", 4, '\n', 4, "[abcd].");
	reads_so("abcde", 5, '\n', 4, "!.");
	reads_so("abcde\n", 6, '\n', 4, "!.");
	reads_so("abcdefghijkl\nabcdefghijkl\nabcd\nabcdefghijkl", 43, '\n', 4, "!![abcd]!.");
	reads_so("\na\n\n", 4, '\n', 0, "[]![].");
}

static void whole_stream(void)
{
	reads_so("", 0, -1, 4, "[].");
	reads_so("", 0, -1, 0, "[].");
	reads_so("a\nb", 3, -1, 4, "[a\\nb].");
	reads_so("ab\n\0", 4, -1, 4, "[ab\\n\\0].");
	reads_so("abcde", 5, -1, 4, "!.");
	reads_so("abcdefghijklmnop", 16, -1, 4, "!.");
}

/* Around the size of a read, too. */
static void large_records(void)
{
	static char data[2 * 65538 + 3];

	for (size_t size = 65534; size <= 65538; size++) {
		struct feed f;
		struct input in;

		memset(data, 'x', 2 * size + 3);
		data[size] = data[2 * size + 2] = '\n';
		f = feed_start(data, 2 * size + 3, 60000, 1, false);
		data[size] = '\0';
		input_init(&in, f.fd, -1, '\n', size);
		next_is(&in, INPUT_RECORD, data);
		next_is(&in, INPUT_TOO_LONG, NULL);
		next_is(&in, INPUT_END, NULL);
		input_free(&in);
		feed_end(f);
	}
}

static void too_long_is_skipped_in_bounded_memory(int delimiter)
{
	static char data[4096];
	struct feed f;
	struct input in;

	memset(data, 'x', sizeof data);
	f = feed_start(data, sizeof data, sizeof data, 2560, false);
	input_init(&in, f.fd, -1, delimiter, 1000);
	next_is(&in, INPUT_TOO_LONG, NULL);
	CHECK(in.buf.cap <= 1000 + SLACK);
	next_is(&in, INPUT_END, NULL);
	input_free(&in);
	feed_end(f);
}

/* 10 MB in reads of 64 bytes: looking at all bytes again on each of them takes far longer. */
static void scanning_is_linear(void)
{
	static char data[64];
	struct feed f;
	struct input in;
	struct err e;
	char *record;
	size_t len;
	clock_t start = clock();

	memset(data, 'x', sizeof data);
	f = feed_start(data, sizeof data, sizeof data, 163840, true);
	input_init(&in, f.fd, -1, '\n', 16 << 20);
	while (input_waits(&in))
		poll(NULL, 0, 1);
	check_int(input_next(&in, &record, &len, &e), INPUT_RECORD);
	check_int((int64_t)len, 163840 * 64);
	CHECK((clock() - start) / CLOCKS_PER_SEC < 4);
	input_free(&in);
	feed_end(f);
}

static void stop_ends_the_wait(void)
{
	int data[2], stop[2];
	struct input in;

	if (pipe(data) < 0 || pipe(stop) < 0)
		abort();
	input_init(&in, data[0], stop[0], '\n', 100);
	CHECK(write(data[1], "a\nz\nb", 5) == 5);
	next_is(&in, INPUT_RECORD, "a");
	CHECK(write(data[1], "x", 1) == 1);
	next_is(&in, INPUT_RECORD, "z");
	check_int((int64_t)in.buf.len, 5); /* nothing was read on while z was there */
	CHECK(write(stop[1], "", 1) == 1);
	check_int(next_is(&in, INPUT_ERROR, NULL), DQ_STOPPED);
	CHECK(write(data[1], "\n", 1) == 1);
	CHECK(read(stop[0], (char[1]){ 0 }, 1) == 1);
	next_is(&in, INPUT_RECORD, "bx");
	input_free(&in);
	for (int i = 0; i < 2; i++) {
		close(data[i]);
		close(stop[i]);
	}
}

static void bad_fd(int fd)
{
	struct input in;

	input_init(&in, fd, -1, '\n', 100);
	CHECK(!input_waits(&in));
	check_int(next_is(&in, INPUT_ERROR, NULL), DQ_IO);
	input_free(&in);
}

static void read_errors(void)
{
	int dir = open("/", O_RDONLY);

	bad_fd(dir);
	close(dir);
	bad_fd(dir);
	bad_fd(-1);
}

/* A socket reports an error once, then the end of the stream: half a record must not look like
 * the last one. */
static void reset_is_reported(void)
{
	struct input in;
	struct err e = { 0 };
	char *record;
	size_t len;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		abort();
	/* unread when the other end closes, so that resets this one */
	CHECK(write(ends[0], "x", 1) == 1);
	CHECK(write(ends[1], "half", 4) == 4);
	close(ends[1]);
	input_init(&in, ends[0], -1, '\n', 100);
	CHECK(!input_waits(&in));
	check_int(input_next(&in, &record, &len, &e), INPUT_ERROR);
	check_int((int)e.status, DQ_IO);
	check_text(e.text, "cannot read: Connection reset by peer");
	CHECK(!input_waits(&in));
	input_free(&in);
	close(ends[0]);
}

static void waiting_is_foreseen(void)
{
	int data[2];
	struct input in;

	if (pipe(data) < 0)
		abort();
	input_init(&in, data[0], -1, '\n', 100);
	CHECK(input_waits(&in));
	CHECK(write(data[1], "x\n", 2) == 2);
	CHECK(!input_waits(&in));
	next_is(&in, INPUT_RECORD, "x");
	CHECK(write(data[1], "a\nb\nc", 5) == 5);
	CHECK(input_waits(&in)); /* x came alone: poll is not asked */
	next_is(&in, INPUT_RECORD, "a");
	CHECK(!input_waits(&in)); /* b is buffered */
	next_is(&in, INPUT_RECORD, "b");
	CHECK(input_waits(&in)); /* c is not whole */
	close(data[1]);
	CHECK(!input_waits(&in));
	CHECK(!in.finished);
	next_is(&in, INPUT_RECORD, "c");
	CHECK(in.finished); /* it may be cut */
	CHECK(!input_waits(&in));
	next_is(&in, INPUT_END, NULL);
	input_free(&in);
	close(data[0]);
}

struct waiting {
	int data, calls;
};

/* waits makes an empty input, and the pipe that it reads. */
static struct waiting waits(struct input *in)
{
	int data[2];

	if (pipe(data) < 0)
		abort();
	input_init(in, data[0], -1, '\n', 100);
	return (struct waiting){.data = data[1]};
}

/* While it is called for the first time, half a record comes. */
static int half_comes(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	struct waiting *w = ctx;

	(void)meanwhile;
	if (++w->calls > 1)
		return 0;
	CHECK(write(w->data, "x", 1) == 1);
	*until = clock_ms() + 60000;
	return 0;
}

/* What was gathered must not wait for the rest of a record. */
static void half_a_record_is_no_record(void)
{
	struct input in;
	struct waiting w = waits(&in);

	check_int(input_idle(&in, half_comes, &w), 0);
	check_int(w.calls, 2);
	CHECK(input_waits(&in));
	CHECK(write(w.data, "y\n", 2) == 2);
	CHECK(!input_waits(&in));
	next_is(&in, INPUT_RECORD, "xy");
	close(in.fd);
	input_free(&in);
	close(w.data);
}

/* A standard input that someone else made non-blocking. */
static void nonblocking_is_waited_for(void)
{
	struct feed f = feed_start("a\nb\n", 4, 1, 300, false);
	struct input in;
	struct err e;
	char *record;
	size_t len;
	int records = 0;

	fcntl(f.fd, F_SETFL, O_NONBLOCK);
	input_init(&in, f.fd, -1, '\n', 100);
	while (input_next(&in, &record, &len, &e) == INPUT_RECORD)
		records++;
	check_int(records, 600);
	input_free(&in);
	feed_end(f);
}

/* The first time, much comes while it waits, in two parts; then the rest. */
static int much_comes(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	static char much[INPUT_AHEAD];
	struct waiting *w = ctx;

	(void)until;
	if (++w->calls > 1)
		return 0;
	memset(much, '\n', sizeof much);
	CHECK(write(w->data, "a\nb\n", 4) == 4);
	CHECK(meanwhile->fd >= 0);
	meanwhile->ready(meanwhile);
	CHECK(meanwhile->fd >= 0);
	CHECK(write(w->data, much, sizeof much) == (ssize_t)sizeof much);
	meanwhile->ready(meanwhile);
	check_int(meanwhile->fd, -1); /* that is enough */
	CHECK(write(w->data, "c\n", 2) == 2);
	return 0;
}

static void reads_while_it_waits(void)
{
	struct input in;
	struct waiting w = waits(&in);

	check_int(input_idle(&in, much_comes, &w), 0);
	check_int(w.calls, 1);
	next_is(&in, INPUT_RECORD, "a");
	next_is(&in, INPUT_RECORD, "b");
	for (size_t i = 0; i < INPUT_AHEAD; i++)
		next_is(&in, INPUT_RECORD, "");
	next_is(&in, INPUT_RECORD, "c");
	close(in.fd);
	input_free(&in);
	close(w.data);
}

/* The end, or a failure, is noticed once, and input_next reports it. */
static int end_comes(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	struct waiting *w = ctx;

	(void)until;
	w->calls++;
	CHECK(write(w->data, "last", 4) == 4);
	close(w->data);
	meanwhile->ready(meanwhile);
	CHECK(meanwhile->fd >= 0);
	meanwhile->ready(meanwhile);
	check_int(meanwhile->fd, -1);
	return 0;
}

static void end_while_it_waits(void)
{
	struct input in;
	struct waiting w = waits(&in);

	check_int(input_idle(&in, end_comes, &w), 0);
	check_int(w.calls, 1);
	next_is(&in, INPUT_RECORD, "last");
	next_is(&in, INPUT_END, NULL);
	close(in.fd);
	input_free(&in);
}

int main(void)
{
	records_are_cut();
	limit_holds();
	whole_stream();
	large_records();
	too_long_is_skipped_in_bounded_memory('\n');
	too_long_is_skipped_in_bounded_memory(-1);
	scanning_is_linear();
	stop_ends_the_wait();
	read_errors();
	reset_is_reported();
	waiting_is_foreseen();
	half_a_record_is_no_record();
	reads_while_it_waits();
	end_while_it_waits();
	nonblocking_is_waited_for();
	return unit_end();
}
