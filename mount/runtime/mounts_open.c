// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/mounts.h"

FILE *mounts_open(void)
{
	return fopen("/proc/self/mountinfo", "re");
}
