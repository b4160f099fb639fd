/* argv: reads the command line, in the same way for all tools: options, then operands. An option
 * after an operand is an error, because it may be meant as an option, a payload or a queue. After
 * "--" every word is an operand. */
#ifndef DQ_ARGV_H
#define DQ_ARGV_H

#include <getopt.h>

/* argv_next returns the next option as getopt_long does, with its argument in optarg; -1 = no more.
 * letters begin with "+:", and options end with zeros. An unknown option ends the tool with
 * DQ_USAGE, and a line that names the option that was probably meant. */
int argv_next(int argc, char **argv, const char *letters, const struct option *options);

struct operands {
	char **words; /* NULL-ended if argv is */
	int count;
	int literal;  /* index of the first word after "--"; count = there is none */
};

/* argv_operands: the words that argv_next left, without "--". Changes argv. */
struct operands argv_operands(int argc, char **argv);

#endif
