/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_CRYPT_H
#define VERITY_CRYPT_H

#include <libcryptsetup.h>

#include "lib/err.h"

/* struct crypt_device *cd auto_crypt = NULL; is freed where its block ends. */
#define auto_crypt __attribute__((cleanup(verity_crypt_cleanup)))

void verity_crypt_cleanup(struct crypt_device **cd);

/*
 * The last complaint of libcryptsetup about one device, without a newline; ""
 * where it had none.
 */
struct verity_complaint {
	char text[ERR_TEXT_SIZE / 2];
};

/*
 * From here on what libcryptsetup says about this device is kept in *c, which
 * must live as long as it, and not printed. What crypt_init() itself says comes
 * before there is a device, and is printed.
 */
void verity_crypt_listen(struct crypt_device *cd, struct verity_complaint *c);

#endif
