/* clock: the two clocks a client may ask. Deadlines use the monotonic one only. */
#ifndef DQ_CLOCK_H
#define DQ_CLOCK_H

#include <stdint.h>

int64_t clock_ms(void);  /* monotonic ms */
int64_t clock_wall(void); /* ms since 1970, for new ids only: due times are the server's business */

#endif
