// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any list of mounts: volumes that are proved or called raw, or an error. */
#include "tests/fuzz/fuzz_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_any(&form_containerd, data, size);
	return 0;
}
