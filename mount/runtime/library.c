// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/socle.h"

const char *socle_version(void)
{
	return SOCLE_VERSION;
}

unsigned int socle_abi(void)
{
	return SOCLE_ABI;
}
