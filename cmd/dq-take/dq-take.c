/* dq-take: leases messages and prints them. */
#include "options.h"
#include "redis/nodes.h"
#include "taker.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/stop.h"

int main(int argc, char **argv)
{
	struct options options;
	struct exchange x;
	enum status status;

	options_read(&options, argc, argv);
	durably_connect(&options.common, &x, opt_caught(stop_catch()));
	status = taker_run(&options, &x);
	exchange_close(&x);
	finish(status);
}
