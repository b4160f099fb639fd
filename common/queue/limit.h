/* limit: why messages that are ready may not be leased now (lua/lib/limits.lua). */
#ifndef DQ_LIMIT_H
#define DQ_LIMIT_H

/* As the scripts reply it. */
enum limit_why {
	LIMIT_NONE,
	LIMIT_PAUSED,
	LIMIT_RATE,
	LIMIT_LEASED /* max-leased */
};

#endif
