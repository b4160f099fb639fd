#include "redis/library.h"

#include <hiredis.h>

#include "redis/tls.h"

#define STRING2(x) #x
#define STRING(x) STRING2(x)
#define HIREDIS "hiredis " STRING(HIREDIS_MAJOR) "." STRING(HIREDIS_MINOR) "." STRING(HIREDIS_PATCH)

const char *library_text(void)
{
	return tls_built() ? HIREDIS ", with TLS" : HIREDIS ", without TLS";
}
