/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_CRYPT_H
#define VERITY_CRYPT_H

#include <libcryptsetup.h>

/* struct crypt_device *cd auto_crypt = NULL; is freed where its block ends. */
#define auto_crypt __attribute__((cleanup(verity_crypt_cleanup)))

void verity_crypt_cleanup(struct crypt_device **cd);

/* From here on libcryptsetup's words are kept and not printed; what was kept is forgotten. */
void verity_crypt_listen(void);

/* Its last complaint since then, without a newline; "" if it had none. Of this process. */
const char *verity_crypt_complaint(void);

#endif
