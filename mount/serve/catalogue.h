/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_CATALOGUE_H
#define MOUNT_SERVE_CATALOGUE_H

#include "mount/serve/images.h"
#include "mount/serve/options.h"

/*
 * The images that are described, read from where the options say, or why that failed: a
 * server with a broken catalogue still answers, so that the reason reaches who asks.
 */
struct catalogue {
	struct images images;
	struct err broken; /* code FAIL_NONE: it is not */
};

void catalogue_load(const struct serve_options *options, struct catalogue *ret);

#endif
