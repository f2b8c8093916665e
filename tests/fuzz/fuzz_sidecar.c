// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any text as a .dmverity file: a volume that a superblock proves, or an error. */
#include "mount/describe/sidecar.h"
#include "tests/fuzz/fuzz_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct err e = { 0 };
	struct volume v;

	memcpy(text, data, size);
	text[size] = '\0';
	volume_init(&v, "volume-0", "");
	if (sidecar_read(text, &v, &e)) {
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	} else {
		REQUIRE(v.proof == VOLUME_SUPERBLOCK);
		require_volume(&v);
	}
	free(text);
	return 0;
}
