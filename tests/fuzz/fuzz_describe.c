// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Any text as a description: a stack whose every volume is on a disk and proved, or was
 * allowed not to be; or an error. The first byte says what is given beside it.
 */
#include <string.h>

#include "mount/describe/describe.h"
#include "mount/describe/print.h"
#include "tests/fuzz/fuzz_stack.h"

static struct describe_given given;
static struct stack stack;

/* Two bits: how many volumes have a disk, a permission or a directory. */
static void give(uint8_t how)
{
	size_t count = how >> 3 & 3;

	memset(&given, 0, sizeof(given));
	for (size_t i = 0; i < count; i++) {
		given.volume[i].device = "SERIAL=x";
		given.volume[i].allow_unverified = how & 0x20;
		if (how & 0x40)
			given.directory[given.directories++] = "/run/image/0";
	}
	given.upper = how & 0x80 ? "tmpfs" : NULL;
}

static void require_described(void)
{
	static char text[4 << 20];
	size_t length = stack_print(&stack, false, text, sizeof(text));

	require_stack(0, &stack, NULL);
	for (size_t i = 0; i < stack.count; i++) {
		REQUIRE(stack.volume[i].data.kind != DEVREF_NONE);
		REQUIRE(stack.volume[i].proof != VOLUME_RAW || given.volume[i].allow_unverified);
	}
	REQUIRE(length < sizeof(text) && strlen(text) == length);
	length = stack_print(&stack, true, text, sizeof(text));
	REQUIRE(length < sizeof(text) && strlen(text) == length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	give(data[0]);
	if (describe((enum describe_form)((data[0] & 7) % 5), text, size - 1, &given, &stack, &e))
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	else
		require_described();
	free(text);
	return 0;
}
