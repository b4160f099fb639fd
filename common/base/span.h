/* span: lengths of time as text. Pure. */
#ifndef DQ_SPAN_H
#define DQ_SPAN_H

#include <stdint.h>

#define SPAN_TEXT 48

/* span_age writes a span for people, its two greatest units: 250ms 1.2s 41s 2m3s 5h12m 3d4h; "-" for one below 0. */
void span_age(int64_t ms, char out[SPAN_TEXT]);

/* span_exact writes it whole, as num_duration reads it: 1d12h, 1s500ms, 0s. ms is not below 0. */
void span_exact(int64_t ms, char out[SPAN_TEXT]);

#endif
