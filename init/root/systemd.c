// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/root/systemd.h"

#include <stdio.h>

#include "mount/fs/make.h"

#define RUN        "/run/systemd"
#define GENERATORS RUN "/system-generators"

int systemd_hide_generator(const char *name, struct err *e)
{
	char path[128];
	int r = make_dir(RUN, 0755, e);

	snprintf(path, sizeof(path), GENERATORS "/%s", name);
	if (!r)
		r = make_dir(GENERATORS, 0755, e);
	return r ? r : make_link("/dev/null", path, e);
}
