// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The plan as JSON: golden/NAME.json beside a golden/NAME.cmdline of
 * test_plan.c. UPDATE_GOLDEN=1 in the environment writes them again: read the
 * difference before it is committed.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/plan/plan_json.h"
#include "init/plan/cmdline.h"
#include "lib/io.h"

#define GOLDEN "tests/unit/golden"

/* Between them they have every member. */
static const char *const names[] = {
	"every_key",
	"hash_device_start_0",
	"kata_327_qemu_amd64",
	"plain_volatile_state",
	"report_vsock",
	"signature_of_one_layer",
	"systemd_fec",
	"systemd_usrhash_volatile",
	"upper_disk_integrity",
};

static char *json_of(int dir, const char *name)
{
	static char line[CMDLINE_SIZE];
	static struct boot_plan plan;
	struct err e = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "%s.cmdline", name);
	assert_true(io_read_text(dir, path, line, sizeof(line)) > 0);
	line[strcspn(line, "\n")] = '\0';
	expect_success(name, plan_parse(line, 0, &plan, &e), &e);
	return plan_json(&plan);
}

static void test_goldens(void **state)
{
	static char expected[65536];
	int dir = open(GOLDEN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *text = json_of(dir, names[i]), path[64];

		snprintf(path, sizeof(path), "%s.json", names[i]);
		if (getenv("UPDATE_GOLDEN"))
			put_text(dir, path, text);
		if (io_read_text(dir, path, expected, sizeof(expected)) < 0)
			fail_msg("there is no %s; it is:\n%s", path, text);
		if (strcmp(text, expected))
			fail_msg("%s: it is\n%sand not\n%s", path, text, expected);
		free(text);
	}
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goldens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
