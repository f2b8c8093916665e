// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/systemd.h"

#include <stdio.h>

#include "mount/make.h"

#define RUN        "/run/systemd"
#define GENERATORS RUN "/system-generators"

int systemd_hide_extension_generator(struct err *e)
{
	int r = make_dir(RUN, 0755, e);

	if (!r)
		r = make_dir(GENERATORS, 0755, e);
	return r ? r : make_link("/dev/null", GENERATORS "/kata-extension-mount-generator", e);
}

int systemd_tell_volatile_root(const struct blockdev *data, struct err *e)
{
	char node[64];
	int r = make_dir(RUN, 0755, e);

	snprintf(node, sizeof(node), "/dev/block/%u:%u", data->major, data->minor);
	return r ? r : make_link(node, RUN "/volatile-root", e);
}
