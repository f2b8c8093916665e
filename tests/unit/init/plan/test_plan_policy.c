// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a policy refuses of a boot plan. */
#include "tests/unit/unit.h"

#include "init/plan/plan_policy.h"

static struct boot_plan plan;

/* A raw volume, and one without a signature, in each of the places that a plan has for volumes. */
static void test_volumes(void **state)
{
	static const struct policy required = { .verity_optional = false };
	static const struct policy optional = { .verity_optional = true };
	static const struct policy signed_only = { .verity_optional = true,
						   .signature_required = true };
	struct volume *const places[] = { &plan.layer[0], &plan.layer[1], &plan.usr,
					  &plan.extension[0], &plan.extension[1] };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct err e = { 0 };

		plan_init(&plan);
		plan.layers = 2;
		plan.has_usr = true;
		plan.extensions = 2;
		for (size_t j = 0; j < ARRAY_SIZE(places); j++)
			volume_init(places[j], "other", "");
		expect_success("all proved", plan_check_policy(&plan, &required, &e), &e);
		volume_init(places[i], "this", "");
		places[i]->proof = VOLUME_RAW;
		expect_failure("one raw", plan_check_policy(&plan, &required, &e), &e,
			       FAIL_POLICY_REFUSED, "nothing proves this");
		assert_string_equal(e.volume, "this");
		expect_success("allowed", plan_check_policy(&plan, &optional, &e), &e);
		/* what nothing proves has nothing to sign */
		for (size_t j = 0; j < ARRAY_SIZE(places); j++)
			places[j]->signature.size = j != i;
		expect_failure("raw, unsigned", plan_check_policy(&plan, &signed_only, &e), &e,
			       FAIL_POLICY_REFUSED, "root hash of this has no signature");
		places[i]->proof = VOLUME_SUPERBLOCK;
		expect_success("superblock", plan_check_policy(&plan, &required, &e), &e);
		expect_failure("one unsigned", plan_check_policy(&plan, &signed_only, &e), &e,
			       FAIL_POLICY_REFUSED, "root hash of this has no signature");
		assert_string_equal(e.volume, "this");
		places[i]->signature.size = 1;
		expect_success("all signed", plan_check_policy(&plan, &signed_only, &e), &e);
	}
}

/* What is written below a verified root counts in it, so the host must not choose it. */
static void test_scratch_disk(void **state)
{
	static const struct policy required = { .verity_optional = false };
	static const struct policy optional = { .verity_optional = true };
	struct err e = { 0 };

	(void)state;
	plan_init(&plan);
	plan.upper.kind = UPPER_DISK;
	expect_failure("readable", plan_check_policy(&plan, &required, &e), &e, FAIL_POLICY_REFUSED,
		       "scratch disk");
	expect_success("allowed", plan_check_policy(&plan, &optional, &e), &e);
	plan.upper.encrypted = true;
	expect_success("encrypted", plan_check_policy(&plan, &required, &e), &e);
}

/* Whoever wrote the line: a dialect's restart is as good, and eio is never. */
static void test_corruption(void **state)
{
	static const struct policy any = { 0 }, stop = { .corruption_stops = true };
	static const struct {
		enum verity_corruption asked;
		bool allowed;
	} rows[] = {
		{ VERITY_ON_CORRUPTION_PANIC, true },
		{ VERITY_ON_CORRUPTION_RESTART, true },
		{ VERITY_ON_CORRUPTION_EIO, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		plan_init(&plan);
		plan.layers = 1;
		volume_init(&plan.layer[0], "layer-0", "");
		plan.on_corruption = rows[i].asked;
		expect_success("any", plan_check_policy(&plan, &any, &e), &e);
		if (rows[i].allowed)
			expect_success("stop", plan_check_policy(&plan, &stop, &e), &e);
		else
			expect_failure("stop", plan_check_policy(&plan, &stop, &e), &e,
				       FAIL_POLICY_REFUSED, "on_corruption=eio");
		/* of no volume more than of another */
		assert_string_equal(e.volume, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_volumes),
		cmocka_unit_test(test_scratch_disk),
		cmocka_unit_test(test_corruption),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
