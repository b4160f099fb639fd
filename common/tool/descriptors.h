/* descriptors: variables of our environment that name descriptors. Those of a command are the ones
 * that we were given, but some are another file there. */
#ifndef DQ_DESCRIPTORS_H
#define DQ_DESCRIPTORS_H

/* descriptors_unset changes our environment: it removes what names a descriptor that commands do
 * not have, or that is another file in them, as taken is. -1: out of memory. */
int descriptors_unset(int taken);

#endif
