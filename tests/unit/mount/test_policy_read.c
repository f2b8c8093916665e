// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Which policy counts while a guest runs, and who may have written it. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/policy_read.h"

struct result {
	int r;
	bool found;
	struct policy policy;
	struct err e;
};

/* What there is in the guest's root; NULL: no such file. */
static const struct row {
	const char *label, *run, *etc;
	mode_t mode; /* of the first of them */
	bool found, verity_optional, signature_required;
} good[] = {
	{ "none", NULL, NULL, 0, false, true, false },
	{ "run", "verity=required\n", NULL, 0444, true, false, false },
	{ "etc", NULL, "signature=required\n", 0644, true, false, true },
	{ "run before etc", "verity=required\n", "verity=optional\n", 0400, true, false, false },
	{ "empty", "", "signature=required\n", 0444, true, false, false },
}, *row;

static void fill(int dir)
{
	if (row->etc) {
		put_text(dir, "etc/socle/policy", row->etc);
		assert_int_equal(fchmodat(dir, "etc/socle/policy", row->mode, 0), 0);
	}
	if (row->run) {
		put_text(dir, "run/socle/policy", row->run);
		assert_int_equal(fchmodat(dir, "run/socle/policy", row->mode, 0), 0);
	}
}

static void run(void *shared)
{
	struct result *result = shared;

	result->r = policy_read(&result->policy, &result->found, &result->e);
}

static void test_good(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	for (row = good; row < good + ARRAY_SIZE(good); row++) {
		memset(result, 0xff, sizeof(*result));
		if (in_own_root(fill, run, result))
			skip();
		expect_success(row->label, result->r, &result->e);
		assert_int_equal(result->found, row->found);
		assert_int_equal(result->policy.verity_optional, row->verity_optional);
		assert_int_equal(result->policy.signature_required, row->signature_required);
		assert_false(result->policy.corruption_stops);
		assert_false(result->policy.modules_locked);
	}
}

static void fill_long(int dir)
{
	static char text[POLICY_SIZE];

	memset(text, '\n', sizeof(text));
	put_bytes(dir, "run/socle/policy", text, sizeof(text));
}

static void fill_wrong(int dir)
{
	put_text(dir, "run/socle/policy", "verity=maybe\n");
	put_text(dir, "etc/socle/policy", "verity=optional\n");
}

static void fill_group(int dir)
{
	put_text(dir, "run/socle/policy", "verity=optional\n");
	assert_int_equal(fchmodat(dir, "run/socle/policy", 0664, 0), 0);
}

static void fill_others(int dir)
{
	put_text(dir, "etc/socle/policy", "verity=optional\n");
	assert_int_equal(fchmodat(dir, "etc/socle/policy", 0646, 0), 0);
}

static void fill_directory(int dir)
{
	put_dir(dir, "run/socle/policy");
}

static void fill_pipe(int dir)
{
	put_dir(dir, "run/socle");
	assert_int_equal(mkfifoat(dir, "run/socle/policy", 0644), 0);
}

static void fill_link(int dir)
{
	put_text(dir, "tmp/policy", "verity=optional\n");
	put_link(dir, "run/socle/policy", "/tmp/policy");
}

static void fill_file_for_folder(int dir)
{
	put_text(dir, "run/socle", "");
}

static void fill_nul(int dir)
{
	put_bytes(dir, "run/socle/policy", "#\0\nsignature=required\n", 22);
}

static const struct {
	void (*fill)(int dir);
	enum fail_code code;
	const char *words;
} refused[] = {
	{ fill_long, FAIL_LIMIT_EXCEEDED, "/run/socle/policy has more than 4095 bytes" },
	{ fill_wrong, FAIL_VALUE_INVALID, "/run/socle/policy: invalid line" },
	{ fill_group, FAIL_POLICY_REFUSED, "/run/socle/policy is not a regular file that root" },
	{ fill_others, FAIL_POLICY_REFUSED, "/etc/socle/policy is not a regular file that root" },
	{ fill_directory, FAIL_POLICY_REFUSED, "is not a regular file" },
	{ fill_pipe, FAIL_POLICY_REFUSED, "is not a regular file" },
	{ fill_link, FAIL_SYSTEM_CALL_FAILED, "open /run/socle/policy" },
	{ fill_file_for_folder, FAIL_SYSTEM_CALL_FAILED, "open /run/socle/policy" },
	{ fill_nul, FAIL_VALUE_INVALID, "has a NUL" },
};

/* Nothing that is wrong is passed over for the next file, or for no policy. */
static void test_refused(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		memset(result, 0, sizeof(*result));
		if (in_own_root(refused[i].fill, run, result))
			skip();
		expect_failure(refused[i].words, result->r, &result->e, refused[i].code,
			       refused[i].words);
		assert_false(result->policy.verity_optional);
	}
}

static void fill_foreign(int dir)
{
	put_text(dir, "run/socle/policy", "verity=optional\n");
	if (fchownat(dir, "run/socle/policy", 1, 1, 0))
		put_text(dir, "none", "");
}

static void run_foreign(void *shared)
{
	struct result *result = shared;

	if (!access("/none", F_OK))
		result->r = 1;
	else
		run(shared);
}

static void test_owner(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill_foreign, run_foreign, result) || result->r > 0)
		skip();
	expect_failure("another's", result->r, &result->e, FAIL_POLICY_REFUSED, "root alone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
