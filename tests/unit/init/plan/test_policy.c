// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What the initramfs' policy says, and what it then refuses. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "init/plan/policy.h"

static struct boot_plan plan;

static int parse(const char *text, struct policy *policy, struct err *e)
{
	char *copy = strdup(text);
	int r = policy_parse(copy, policy, e);

	free(copy);
	return r;
}

static const struct {
	const char *text;
	bool verity_optional, signature_required, modules_locked, corruption_stops;
} good[] = {
	{ "", false, false, false, false },
	{ "\n\n# nothing\n", false, false, false, false },
	{ "verity=required\nmodules=open\nsignature=optional\n", false, false, false, false },
	{ "verity=optional\n", true, false, false, false },
	{ "signature=required\n", false, true, false, false },
	{ "modules=locked", false, false, true, false },
	{ "modules=locked\n#x\nverity=optional\n", true, false, true, false },
	{ "on_corruption=any\n", false, false, false, false },
	{ "on_corruption=stop\n", false, false, false, true },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct policy policy = { true, true, true, true };
		struct err e = { 0 };

		expect_success(good[i].text, parse(good[i].text, &policy, &e), &e);
		assert_int_equal(policy.verity_optional, good[i].verity_optional);
		assert_int_equal(policy.signature_required, good[i].signature_required);
		assert_int_equal(policy.modules_locked, good[i].modules_locked);
		assert_int_equal(policy.corruption_stops, good[i].corruption_stops);
	}
}

static const struct {
	const char *text;
	enum fail_code code;
	const char *words;
} refused[] = {
	{ "verity", FAIL_VALUE_INVALID, "invalid line \"verity\"" },
	{ "verity=", FAIL_VALUE_INVALID, "invalid line \"verity=\"" },
	{ "verity=Optional", FAIL_VALUE_INVALID, "invalid line \"verity=Optional\"" },
	{ "verity=optional ", FAIL_VALUE_INVALID, "\"verity=optional \"" },
	{ " verity=optional", FAIL_KEY_UNKNOWN, "unknown key  verity" },
	{ "signature=yes", FAIL_VALUE_INVALID, "\"signature=yes\"" },
	{ "on_corruption=eio", FAIL_VALUE_INVALID, "\"on_corruption=eio\"" },
	{ "on_corruption=panic", FAIL_VALUE_INVALID, "\"on_corruption=panic\"" },
	{ "shell=yes", FAIL_KEY_UNKNOWN, "unknown key shell" },
	{ "verity=required\nverity=optional", FAIL_KEY_REPEATED, "verity= is specified twice" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct policy policy = { .verity_optional = false };
		struct err e = { 0 };

		expect_failure(refused[i].text, parse(refused[i].text, &policy, &e), &e,
			       refused[i].code, refused[i].words);
		assert_false(policy.verity_optional);
	}
}

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
		expect_success("all proved", policy_check(&required, &plan, &e), &e);
		volume_init(places[i], "this", "");
		places[i]->proof = VOLUME_RAW;
		expect_failure("one raw", policy_check(&required, &plan, &e), &e,
			       FAIL_POLICY_REFUSED, "nothing proves this");
		assert_string_equal(e.volume, "this");
		expect_success("allowed", policy_check(&optional, &plan, &e), &e);
		/* what nothing proves has nothing to sign */
		for (size_t j = 0; j < ARRAY_SIZE(places); j++)
			places[j]->signature.size = j != i;
		expect_failure("raw, unsigned", policy_check(&signed_only, &plan, &e), &e,
			       FAIL_POLICY_REFUSED, "root hash of this has no signature");
		places[i]->proof = VOLUME_SUPERBLOCK;
		expect_success("superblock", policy_check(&required, &plan, &e), &e);
		expect_failure("one unsigned", policy_check(&signed_only, &plan, &e), &e,
			       FAIL_POLICY_REFUSED, "root hash of this has no signature");
		assert_string_equal(e.volume, "this");
		places[i]->signature.size = 1;
		expect_success("all signed", policy_check(&signed_only, &plan, &e), &e);
	}
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
		expect_success("any", policy_check(&any, &plan, &e), &e);
		if (rows[i].allowed)
			expect_success("stop", policy_check(&stop, &plan, &e), &e);
		else
			expect_failure("stop", policy_check(&stop, &plan, &e), &e,
				       FAIL_POLICY_REFUSED, "on_corruption=eio");
		/* of no volume more than of another */
		assert_string_equal(e.volume, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_volumes),
		cmocka_unit_test(test_corruption),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
