/* library: names the libraries that connections use in this build. */
#ifndef DQ_LIBRARY_H
#define DQ_LIBRARY_H

/* library_text names the client library, and says whether there is TLS: for --version. */
const char *library_text(void);

#endif
