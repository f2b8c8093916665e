// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any initdata: refused with a reason, or read, and what is found fits into the document's size. */
#include <string.h>

#include "mount/serve/toml.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *value = malloc(size + 1);
	size_t length = SIZE_MAX;
	struct err e = { 0 };
	int r;

	REQUIRE(text && value);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	r = toml_find(text, size, "data", "socle.json", value, &length, &e);
	REQUIRE(r < 0 ? e.code != FAIL_NONE : r <= 1);
	if (r > 0)
		REQUIRE(length <= size && strlen(value) == length);
	free(value);
	free(text);
	return 0;
}
