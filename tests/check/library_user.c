// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What an agent does with libsocle.a, as far as it goes without a disk. */
#include <stdio.h>

#include "mount/runtime/socle.h"

static struct socle_memory memory;

int main(void)
{
	struct socle_error error;

	printf("version %s\n", socle_version());
	if (socle_volume_mount(&memory, "x", "SERIAL=x", "/run/x", 0, &error))
		printf("%s: %s\n", error.code, error.text);
	if (socle_volume_umount("/", "/run/x", &error))
		printf("%s: %s\n", error.code, error.text);
	return 0;
}
