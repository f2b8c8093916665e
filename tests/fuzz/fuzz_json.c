// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any text as JSON: what our own reader takes json-c takes too, and no member is lost. */
#include <string.h>

#include "lib/strict_json.h"
#include "mount/describe/given.h"
#include "mount/describe/hostile_json.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	auto_json struct json_object *root = NULL;
	struct strict_json checked;
	struct err e = { 0 };
	int r;

	memcpy(text, data, size);
	text[size] = '\0';
	checked = strict_json_check(text, size, DESCRIBE_DEPTH_MAX);
	REQUIRE(checked.at <= size && checked.members <= size / 3);
	r = hostile_parse(text, size, &root, &e);
	REQUIRE(!r || (e.code != FAIL_NONE && e.text[0] && !root));
	if (!checked.wrong)
		REQUIRE(!r || e.code == FAIL_KEY_REPEATED);
	free(text);
	return 0;
}
