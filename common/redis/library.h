/* library: what the connections of this build are made with. */
#ifndef DQ_LIBRARY_H
#define DQ_LIBRARY_H

/* library_text names the client library, and says whether there is TLS: for --version. */
const char *library_text(void);

#endif
