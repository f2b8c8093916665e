/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_SOCLE_H
#define MOUNT_DESCRIBE_SOCLE_H

#include "mount/volume.h"

/*
 * A volume in our own words, as socle-init(8) has them under socle.layer=. The
 * command line, the manifest and the library say the same in two forms. Pure.
 */

#define SOCLE_TEXT_SIZE 2048 /* bytes of one volume's text, with the NUL */

/*
 * One key of the grammar into a volume that volume_init() has made; pool takes
 * its signature. That it is specified once is the caller's business.
 */
int volume_set(struct volume *v, const char *key, const char *value,
	       struct verity_signature_pool *pool, struct err *e);

/* All of them: "DEVICE,key=value,...". The volume is not finished by this. */
int volume_set_all(struct volume *v, const char *text, struct verity_signature_pool *pool,
		   struct err *e);

#endif
