/* slot: the slot of a key in a cluster. Pure. */
#ifndef DQ_SLOT_H
#define DQ_SLOT_H

#include <stddef.h>

#define SLOTS 16384

/* slot_of: the slot of a key: CRC16 of the text in its first braces or, if there is none,
 * of the whole key. */
unsigned slot_of(const char *key, size_t len);

/* slot_crc16: the CRC16 of those bytes, 0 to 65535. */
unsigned slot_crc16(const char *bytes, size_t len);

#endif
