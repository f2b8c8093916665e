// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What an agent does with libsocle.a, as far as it goes without a disk. */
#include <stdio.h>

#include "mount/runtime/socle.h"

int main(void)
{
	printf("version %s, ABI %u\n", socle_version(), socle_abi());
	return socle_abi() != SOCLE_ABI;
}
