#include "base/time.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define DAY INT64_C(86400) /* seconds */
#define TIME_OF_DAY 9 /* bytes of T23:59:59 */

static const char not_a_time[] =
	"not a time (such as @1790000000 or 2026-11-21T09:00:00Z; of words: " TIME_OF_WORDS ")";
static const char no_such_day[] = "no such day in the calendar";
static const char no_leap[] =
	"seconds are 00 to 59 (60 only for a leap second, before midnight UTC)";
static const char no_clock[] =
	"a date needs a time with seconds and a zone, such as 2026-11-21T09:00:00+01:00";
static const char no_zone[] =
	"the time zone is missing: end it with Z (UTC) or an offset such as +02:00";
static const char bad_zone[] = "a time zone is Z (UTC) or an offset with a colon such as +02:00";
static const char out_of_range[] =
	"a time is from 1970-01-01T00:00:00Z to 2109-05-15T07:35:11.103Z";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* skip moves *s over one character of set. */
static bool skip(const char **s, const char *set)
{
	if (**s == '\0' || strchr(set, **s) == NULL)
		return false;
	++*s;
	return true;
}

/* read_field reads exactly width digits, min to max. */
static bool read_field(const char **s, int width, int64_t min, int64_t max, int64_t *out)
{
	int64_t n = 0;

	for (; width > 0; width--) {
		if (!is_digit(**s))
			return false;
		n = n * 10 + (*(*s)++ - '0');
	}
	*out = n;
	return n >= min && n <= max;
}

/* read_fraction reads an optional .DIGITS of a second into ms, rounded up. It begins at the right,
 * which is exact for any number of digits. */
static bool read_fraction(const char **s, int64_t *ms)
{
	const char *p, *end;

	*ms = 0;
	if (!skip(s, "."))
		return true;
	p = *s;
	while (is_digit(**s))
		++*s;
	for (end = *s; end > p;)
		*ms = ((*--end - '0') * INT64_C(1000) + *ms + 9) / 10;
	return *s > p;
}

static const char *read_epoch(const char *s, int64_t *ms)
{
	int64_t seconds = 0, fraction;

	if (!is_digit(*s))
		return not_a_time;
	for (; is_digit(*s); s++)
		/* a greater value is refused anyway, whatever digits follow */
		if (seconds <= TIME_MAX)
			seconds = seconds * 10 + (*s - '0');
	if (!strcmp(s, "ms")) { /* the number was in ms */
		*ms = seconds;
		return NULL;
	}
	if (!read_fraction(&s, &fraction) || *s != '\0')
		return not_a_time;
	if (seconds > TIME_MAX / 1000)
		return out_of_range;
	*ms = seconds * 1000 + fraction;
	return NULL;
}

static int64_t month_days(int64_t year, int64_t month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && leap ? 29 : days[month - 1];
}

/* date_to_days returns the days from 1970-01-01 to the date. Its years begin in March, so that the
 * leap day is the last; 719468 days lie between 0000-03-01 and 1970-01-01. */
static int64_t date_to_days(int64_t year, int64_t month, int64_t day)
{
	/* 4800: 12 whole cycles of 400 years, to stay above 0 */
	int64_t y = year + 4800 - (month <= 2);
	int64_t m = (month + 9) % 12;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468 -
	       12 * INT64_C(146097);
}

static const char *read_date(const char **s, int64_t *seconds)
{
	int64_t year, month, day;

	if (!read_field(s, 4, 0, 9999, &year) || !skip(s, "-") ||
	    !read_field(s, 2, 1, 12, &month) || !skip(s, "-") || !read_field(s, 2, 1, 31, &day))
		return not_a_time;
	if (day > month_days(year, month))
		return no_such_day;
	*seconds = date_to_days(year, month, day) * DAY;
	return NULL;
}

/* read_clock reads the seconds of the day. It accepts a 60th second;
 * the caller checks that it is a leap second. */
static bool read_clock(const char **s, int64_t *seconds, bool *leap)
{
	int64_t hour, minute, second;

	if (!read_field(s, 2, 0, 23, &hour) || !skip(s, ":") || !read_field(s, 2, 0, 59, &minute) ||
	    !skip(s, ":") || !read_field(s, 2, 0, 60, &second))
		return false;
	*seconds = hour * 3600 + minute * 60 + second;
	*leap = second == 60;
	return true;
}

static bool read_zone(const char **s, int64_t *seconds)
{
	int64_t hour, minute;
	bool west = **s == '-';

	*seconds = 0;
	if (skip(s, "Zz"))
		return true;
	if (!skip(s, "+-") || !read_field(s, 2, 0, 23, &hour) || !skip(s, ":") ||
	    !read_field(s, 2, 0, 59, &minute))
		return false;
	*seconds = (hour * 3600 + minute * 60) * (west ? -1 : 1);
	return true;
}

static const char *read_rfc3339(const char *s, int64_t *ms)
{
	int64_t date, clock, zone, fraction, seconds;
	bool leap, offset;
	const char *complaint = read_date(&s, &date), *after_date;

	if (complaint != NULL)
		return complaint;
	after_date = s;
	if (!skip(&s, "Tt ") || !read_clock(&s, &clock, &leap)) /* strchr finds the end, too */
		return s - after_date < TIME_OF_DAY && strchr("Zz+-", *s) ? no_clock : not_a_time;
	if (!read_fraction(&s, &fraction))
		return not_a_time;
	if (*s == '\0')
		return no_zone;
	offset = *s == '+' || *s == '-';
	if (!read_zone(&s, &zone) || *s != '\0')
		return offset ? bad_zone : not_a_time;
	seconds = date + clock - zone;
	if (leap && seconds % DAY != 0)
		return no_leap;
	*ms = seconds * 1000 + fraction;
	return NULL;
}

static const char *const weekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
				       "Saturday", "Sunday", NULL},
	     *const months[] = {"January", "February", "March", "April", "May", "June", "July",
				"August", "September", "October", "November", "December", NULL};

/* read_name reads a whole word that is one of the names, or the first three letters of one, and its
 * number from 1 on. */
static bool read_name(const char **s, const char *const names[], int64_t *number)
{
	size_t len = strspn(*s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

	for (*number = 1; *names; names++, ++*number)
		if ((len == 3 || len == strlen(*names)) && !strncmp(*s, *names, len)) {
			*s += len;
			return true;
		}
	return false;
}

struct http {
	int64_t weekday, day, month, year, clock;
	bool leap;
};

/* read_asctime reads " Nov  6 08:49:37 1994". */
static bool read_asctime(const char **s, struct http *h)
{
	return skip(s, " ") && read_name(s, months, &h->month) && skip(s, " ") &&
	       read_field(s, skip(s, " ") ? 1 : 2, 1, 31, &h->day) && skip(s, " ") &&
	       read_clock(s, &h->clock, &h->leap) && skip(s, " ") &&
	       read_field(s, 4, 0, 9999, &h->year);
}

/* read_gmt reads ", 06 Nov 1994 08:49:37 GMT" or ", 06-Nov-94 08:49:37 GMT". */
static bool read_gmt(const char **s, struct http *h)
{
	const char *between;
	bool two;

	if (!skip(s, ",") || !skip(s, " ") || !read_field(s, 2, 1, 31, &h->day))
		return false;
	two = **s == '-';
	between = two ? "-" : " ";
	if (!skip(s, between) || !read_name(s, months, &h->month) || !skip(s, between) ||
	    !read_field(s, two ? 2 : 4, 0, 9999, &h->year) || !skip(s, " ") ||
	    !read_clock(s, &h->clock, &h->leap) || strncmp(*s, " GMT", 4) != 0)
		return false;
	*s += 4;
	if (two)
		h->year += h->year < 70 ? 2000 : 1900;
	return true;
}

static const char *read_http(const char *s, int64_t *ms)
{
	struct http h = {0};
	int64_t seconds;

	if (!read_name(&s, weekdays, &h.weekday) ||
	    !(*s == ',' ? read_gmt : read_asctime)(&s, &h) || *s != '\0')
		return not_a_time;
	if (h.day > month_days(h.year, h.month))
		return no_such_day;
	seconds = date_to_days(h.year, h.month, h.day) * DAY + h.clock;
	if (h.leap && seconds % DAY != 0)
		return no_leap;
	*ms = seconds * 1000;
	return NULL;
}

/* is_clock: is the word a time of day with seconds? */
static bool is_clock(const char *word, size_t len)
{
	const char *colon = memchr(word, ':', len);

	return colon && strspn(word, "0123456789:") == len && is_digit(*word) &&
	       memchr(colon + 1, ':', len - (size_t)(colon + 1 - word));
}

#define DATE_WORDS 6

size_t time_date_len(const char *s)
{
	const char *word = s;
	bool named = false;

	for (int i = 0; i < DATE_WORDS; i++) {
		size_t len = strcspn(word, " \t\n"), blanks = strspn(word + len, " ");
		const char *at = word;
		int64_t number;

		if (named && is_clock(word, len)) {
			len += blanks + strcspn(word + len + blanks, " \t\n");
			return (size_t)(word - s) + len;
		}
		if (i < 2)
			named = named || read_name(&at, weekdays, &number) ||
				read_name(&at, months, &number);
		word += len + blanks;
	}
	return 0;
}

#define PLAUSIBLE INT64_C(315576000000) /* ms: nobody means a time before 1980 */

/* is_epoch: is @NUMBERunit a time? Then it is in out. */
static bool is_epoch(const char *number, const char *unit, char out[TIME_HINT])
{
	int len = snprintf(out, TIME_HINT, "@%s%s", number, unit);
	int64_t ms;

	return len < TIME_HINT && !read_epoch(out + 1, &ms) && ms > PLAUSIBLE && ms <= TIME_MAX;
}

bool time_hint(const char *number, char out[TIME_HINT])
{
	return is_epoch(number, "", out) || is_epoch(number, "ms", out);
}

/* refuse names the time that is probably meant, if s is a number without @, or in ms. */
static int refuse(const char *s, const char *complaint, struct err *e)
{
	char shown[100], hint[TIME_HINT];

	text_shown(shown, sizeof shown, s, strlen(s));
	if (!time_hint(*s == '@' ? s + 1 : s, hint))
		return err_set(e, DQ_USAGE, "\"%s\": %s", shown, complaint);
	return err_set(e, DQ_USAGE, "\"%s\": %s: did you mean %s?", shown,
		       *s == '@' ? "beyond the year 2109" : "not a time", hint);
}

int time_parse(const char *s, int64_t *ms, struct err *e)
{
	const char *complaint, *at = s;
	int64_t n = 0;

	if (*s == '@')
		complaint = read_epoch(s + 1, &n);
	else if (read_name(&at, weekdays, &n))
		complaint = read_http(s, &n);
	else
		complaint = read_rfc3339(s, &n);
	if (complaint == NULL && (n < 0 || n > TIME_MAX))
		complaint = out_of_range;
	if (complaint != NULL)
		return refuse(s, complaint, e);
	*ms = n;
	return 0;
}

struct date {
	int year, month, day;
};

/* days_to_date is the inverse of date_to_days: cycles of 400 years, years that begin in March. */
static struct date days_to_date(int64_t days)
{
	int64_t since = days + 719468;
	int64_t cycle = (since >= 0 ? since : since - 146096) / 146097;
	int d = (int)(since - cycle * 146097);
	int year = (d - d / 1460 + d / 36524 - d / 146096) / 365;
	int of_year = d - (365 * year + year / 4 - year / 100);
	int m = (5 * of_year + 2) / 153;
	int month = m < 10 ? m + 3 : m - 9;

	return (struct date){
		.year = year + (int)cycle * 400 + (month <= 2),
		.month = month,
		.day = of_year - (153 * m + 2) / 5 + 1,
	};
}

void time_format(int64_t ms, char out[TIME_TEXT])
{
	int64_t days = ms / (DAY * 1000);
	int rest = (int)(ms % (DAY * 1000));
	struct date date;
	int n;

	if (rest < 0) {
		days--;
		rest += (int)DAY * 1000;
	}
	date = days_to_date(days);
	n = snprintf(out, TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", date.year, date.month,
		     date.day, rest / 3600000, rest / 60000 % 60, rest / 1000 % 60, rest % 1000);
	assert(n < TIME_TEXT); /* 31 bytes for INT64_MIN */
	(void)n;
}
