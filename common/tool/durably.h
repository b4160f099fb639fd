/* durably: the options --wait-replicas and --fsync of the tools that confirm what they have changed
 * before they report it. */
#ifndef DQ_DURABLY_H
#define DQ_DURABLY_H

#include "tool/opt.h"

#define DURABLY_LONG \
	{"wait-replicas", required_argument, NULL, OPT_WAIT_REPLICAS}, \
	{"fsync", no_argument, NULL, OPT_FSYNC}

#define DURABLY_USAGE \
	"      --wait-replicas N[,DUR]  report success only after N replicas have the\n" \
	"                           change; after DUR (3s) exit 75 (DQ_WAIT_REPLICAS)\n" \
	"      --fsync              the same for the server's disk\n"

/* durably_start is opt_start, and reads DQ_WAIT_REPLICAS. */
void durably_start(struct opt *o, const char *tool);

/* durably_option is opt_common with these two options. */
bool durably_option(struct opt *o, int c, const char *usage);

/* durably_connect is opt_connect; it ends the tool if the server cannot confirm what
 * --fsync asks for. */
void durably_connect(const struct opt *o, struct exchange *x, int stop_fd);

#endif
