// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Taking over what the kernel opened. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tests/unit/fake_dm.h"
#include "verity/adopt.h"

#define HASH    "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
#define ADOPTED "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " 5a"

static const struct {
	const char *label, *table;
	bool absent, writable, suspended, other_length;
	const char *type;
	int result; /* 1 taken over, 0 not there, else refused */
} adopt_rows[] = {
	{ .label = "the same", .table = ADOPTED, .result = 1 },
	{ .label = "with a policy", .table = ADOPTED " 1 panic_on_corruption", .result = 1 },
	{ .label = "absent", .table = ADOPTED, .absent = true, .result = 0 },
	{ .label = "writable", .table = ADOPTED, .writable = true, .result = -EEXIST },
	{ .label = "suspended", .table = ADOPTED, .suspended = true, .result = -EEXIST },
	{ .label = "longer", .table = ADOPTED, .other_length = true, .result = -EEXIST },
	{ .label = "linear", .table = ADOPTED, .type = "linear", .result = -EEXIST },
	{ .label = "weak", .table = ADOPTED " 1 ignore_corruption", .result = -EEXIST },
	{ .label = "weak behind strong",
	  .result = -EEXIST,
	  .table = ADOPTED " 2 panic_on_corruption check_at_most_once" },
	{ .label = "another disk",
	  .result = -EEXIST,
	  .table = "1 254:3 254:2 4096 4096 512 1 sha256 " HASH " 5a" },
	{ .label = "another hash disk",
	  .result = -EEXIST,
	  .table = "1 254:1 254:1 4096 4096 512 1 sha256 " HASH " 5a" },
	{ .label = "another salt",
	  .result = -EEXIST,
	  .table = "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " 5b" },
	{ .label = "no salt",
	  .result = -EEXIST,
	  .table = "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " -" },
};

static void test_adopt(void **state)
{
	const struct verity_parts parts = { .data = makedev(254, 1), .hash = makedev(254, 2) };
	struct verity_params p;

	(void)state;
	verity_params_init(&p);
	assert_int_equal(verity_params_set(&p, "root_hash", HASH, NULL), 0);
	assert_int_equal(verity_params_set(&p, "salt", "5a", NULL), 0);
	assert_int_equal(verity_params_set(&p, "hash_start", "1", NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(adopt_rows); i++) {
		struct mapped_device found = { .name = "untouched" };
		struct err e = { 0 };
		int r;

		(void)fake_dm_reset(0);
		/* the fake's target has 4096 sectors */
		p.data_blocks = adopt_rows[i].other_length ? 513 : 512;
		strcpy(fake_dm_first->live.line, adopt_rows[i].table);
		if (adopt_rows[i].type)
			strcpy(fake_dm_first->live.type, adopt_rows[i].type);
		if (adopt_rows[i].absent)
			fake_dm_first->name[0] = '\0';
		fake_dm_first->minor = 9;
		fake_dm_first->live.read_only = !adopt_rows[i].writable;
		fake_dm_first->suspended = adopt_rows[i].suspended;
		r = verity_adopt("socle-layer-0", &parts, &p, &found, &e);
		if (r != adopt_rows[i].result)
			fail_msg("%s: %d", adopt_rows[i].label, r);
		assert_string_equal(found.path, r == 1 ? "/dev/dm-9" : "");
		assert_int_equal(e.code, r < 0 ? FAIL_VERITY_OPEN_FAILED : FAIL_NONE);
	}
	(void)fake_dm_reset(0);
	fake_dm_first->live.type[0] = '\0';
	assert_int_equal(verity_adopt("socle-layer-0", &parts, &p, NULL, NULL), -EEXIST);
	(void)fake_dm_reset(1);
	assert_int_equal(verity_adopt("socle-layer-0", &parts, &p, NULL, NULL), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adopt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
