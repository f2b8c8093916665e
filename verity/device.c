// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/device.h"

#include <stdio.h>
#include <sys/sysmacros.h>

struct mapped_device mapped_device(const char *name, dev_t number)
{
	struct mapped_device dev = { .major = major(number), .minor = minor(number) };

	snprintf(dev.name, sizeof(dev.name), "%s", name);
	snprintf(dev.path, sizeof(dev.path), "/dev/dm-%u", dev.minor);
	return dev;
}
