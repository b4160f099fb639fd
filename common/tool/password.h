/* password: where the password comes from: --askpass, --password-file, the URL or REDISCLI_AUTH,
 * the first of them that there is. */
#ifndef DQ_PASSWORD_H
#define DQ_PASSWORD_H

#include <stdbool.h>

#include "redis/url.h"

/* password_find puts it into url, or ends the tool; that of Sentinels, too: sentinel_password_file
 * of the URL or DQ_SENTINEL_PASSWORD. file: NULL = none. stop_fd as in conn.h. With a password
 * there is no core file. */
void password_find(bool ask, const char *file, int stop_fd, struct url *url);

/* password_again reads the files of password_find again. True: url has a changed password now.
 * A missing or empty file changes nothing. A pipe changes nothing either, because it can be
 * read only once. */
bool password_again(struct url *url);

/* password_credential: the file of the password that systemd gives to a service
 * (LoadCredential=dq.password), if there is one; NULL. The text is static. */
const char *password_credential(void);

#endif
