// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a policy says, and what it refuses of a stack. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "mount/policy.h"

static struct stack stack;

static int check(const struct policy *policy, struct err *e)
{
	return policy_check_stack(policy, &stack, VERITY_ON_CORRUPTION_PANIC, e);
}

static int parse(const char *text, struct policy *policy, struct err *e)
{
	char *copy = strdup(text);
	int r = policy_parse("rules", copy, strlen(copy), policy, e);

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

static void test_nul(void **state)
{
	char text[] = "verity=required\n\0signature=required\n";
	struct policy policy = { .verity_optional = true };
	struct err e = { 0 };

	(void)state;
	expect_failure("NUL", policy_parse("rules", text, sizeof(text) - 1, &policy, &e), &e,
		       FAIL_VALUE_INVALID, "rules has a NUL");
	assert_true(policy.verity_optional);
}

/* Each volume of a stack counts, also one that is a further device of another. */
static void test_stack_volumes(void **state)
{
	static const struct policy required = { 0 }, optional = { .verity_optional = true },
				   signed_only = { .signature_required = true };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct volume *v;
		struct err e = { 0 };

		stack_init(&stack);
		for (size_t j = 0; j < 3; j++) {
			expect_success("add", stack_add(&stack, &v, &e), &e);
			v->signature.size = j != i;
		}
		stack.volume[0].devices = 1;
		expect_success("proved", check(&required, &e), &e);
		expect_failure("unsigned", check(&signed_only, &e), &e, FAIL_POLICY_REFUSED,
			       "has no signature");
		assert_string_equal(e.volume, stack.volume[i].name);
		stack.volume[i].proof = VOLUME_RAW;
		expect_failure("raw", check(&required, &e), &e, FAIL_POLICY_REFUSED,
			       "nothing proves volume-");
		assert_string_equal(e.volume, stack.volume[i].name);
		expect_success("allowed", check(&optional, &e), &e);
	}
}

static void test_stack_upper(void **state)
{
	static const struct policy required = { 0 }, optional = { .verity_optional = true };
	static const struct {
		const char *upper;
		bool refused;
	} rows[] = {
		{ "none", false },
		{ "tmpfs", false },
		{ "dir:/run/upper", false },
		{ "disk:SERIAL=x", true },
		{ "disk:SERIAL=x,encrypted", false },
		{ "disk:SERIAL=x,encrypted,integrity", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		stack_init(&stack);
		expect_success(rows[i].upper, upper_parse(rows[i].upper, &stack.upper, &e), &e);
		expect_success(rows[i].upper, check(&optional, &e), &e);
		if (rows[i].refused)
			expect_failure(rows[i].upper, check(&required, &e), &e, FAIL_POLICY_REFUSED,
				       "scratch disk without \",encrypted\"");
		else
			expect_success(rows[i].upper, check(&required, &e), &e);
	}
}

static void test_stack_corruption(void **state)
{
	static const struct policy any = { 0 }, stop = { .corruption_stops = true };
	struct err e = { 0 };

	(void)state;
	stack_init(&stack);
	expect_success("any", policy_check_stack(&any, &stack, VERITY_ON_CORRUPTION_EIO, &e), &e);
	expect_success("panic", policy_check_stack(&stop, &stack, VERITY_ON_CORRUPTION_PANIC, &e),
		       &e);
	expect_failure("eio", policy_check_stack(&stop, &stack, VERITY_ON_CORRUPTION_EIO, &e), &e,
		       FAIL_POLICY_REFUSED, "on_corruption=eio");
	assert_string_equal(e.volume, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nul),         cmocka_unit_test(test_stack_volumes),
		cmocka_unit_test(test_stack_upper), cmocka_unit_test(test_stack_corruption),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
