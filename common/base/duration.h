/* duration: lengths of time as text. Pure. */
#ifndef DQ_DURATION_H
#define DQ_DURATION_H

#include <stdint.h>

#define DURATION_TEXT 48

/* duration_age writes a length of time for people, in its two largest units: 250ms 1.2s 41s 2m3s
 * 5h12m 3d4h; "-" if it is below 0. */
void duration_age(int64_t ms, char out[DURATION_TEXT]);

/* duration_exact writes the exact length, as num_duration reads it: 1d12h, 1s500ms, 0s.
 * ms must not be below 0. */
void duration_exact(int64_t ms, char out[DURATION_TEXT]);

#endif
