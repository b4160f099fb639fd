/* argv: the words of the command line, read alike by all tools: options, then operands. An option after an operand is refused,
 * never obeyed and never taken for a payload or a queue; behind "--" every word is an operand. */
#ifndef DQ_ARGV_H
#define DQ_ARGV_H

#include <getopt.h>

/* argv_next returns the next option as getopt_long does, with its argument in optarg; -1 = no more. letters begin with "+:", and
 * options end with zeros. What is no option of the tool ends it with DQ_USAGE, and with the option that was probably meant. */
int argv_next(int argc, char **argv, const char *letters, const struct option *options);

struct operands {
	char **words; /* NULL-ended where argv is */
	int count;
	int literal;  /* the first of words that came after "--"; count = none did */
};

/* argv_operands: the words that argv_next left, without "--". Changes argv. */
struct operands argv_operands(int argc, char **argv);

#endif
