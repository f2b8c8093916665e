// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a caller asks of libsocle, within its limits and beyond. */
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mount/runtime/request.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LINE "/dev/vda,data_blocks=8,root_hash=" HASH "\n"

static struct stack stack;
static enum verity_corruption on_corruption;
static int timeout_ms;

static int read_request(struct socle_request request, const char *text, struct err *e)
{
	/* Without a byte behind it: nobody asks for a closing NUL. */
	char *copy = malloc(strlen(text));
	int r;

	memcpy(copy, text, strlen(text));
	request.description = copy;
	request.description_size = strlen(text);
	*e = (struct err){ 0 };
	r = request_read(&request, &stack, &on_corruption, &timeout_ms, e);
	free(copy);
	return r;
}

static void test_defaults(void **state)
{
	struct err e;

	(void)state;
	expect_success("line", read_request((struct socle_request){ 0 }, LINE LINE, &e), &e);
	assert_int_equal(stack.count, 2);
	assert_int_equal(on_corruption, VERITY_ON_CORRUPTION_PANIC);
	assert_int_equal(timeout_ms, 10000);
	expect_success("all",
		       read_request((struct socle_request){ .form = "socle",
							    .on_corruption = "eio",
							    .upper = "tmpfs",
							    .timeout_ms = 3600000 },
				    LINE, &e),
		       &e);
	assert_int_equal(on_corruption, VERITY_ON_CORRUPTION_EIO);
	assert_int_equal(timeout_ms, 3600000);
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
}

static void test_refused(void **state)
{
	static const struct socle_volume_option beyond = { .number = 384, .allow_unverified = 1 },
						most = { .number = UINT_MAX, .device = "/dev/vdb" },
						absent = { .number = 1, .device = "/dev/vdb" },
						devices[] = { { .device = "/dev/vdb" },
							      { .device = "/dev/vdb" } },
						sidecars[] = { { .sidecar = "{}" },
							       { .sidecar = "{}" } };
	static const char *const relative[] = { "a/b" };
	static const struct {
		const char *label;
		struct socle_request request;
		enum fail_code code;
		const char *words;
	} rows[] = {
		{ "form", { .form = "nydus" }, FAIL_VALUE_INVALID, "the form \"nydus\"" },
		{ "corruption", { .on_corruption = "ignore" }, FAIL_VALUE_INVALID, "\"ignore\"" },
		{ "negative", { .timeout_ms = -1 }, FAIL_VALUE_INVALID, "-1 ms" },
		{ "long", { .timeout_ms = 3600001 }, FAIL_VALUE_INVALID, "3600001 ms" },
		{ "upper", { .upper = "ramdisk" }, FAIL_VALUE_INVALID, "" },
		{ "number",
		  { .options = &beyond, .option_count = 1 },
		  FAIL_VALUE_INVALID,
		  "no volume-384: the highest is volume-383" },
		{ "highest",
		  { .options = &most, .option_count = 1 },
		  FAIL_VALUE_INVALID,
		  "no volume-4294967295" },
		{ "absent",
		  { .options = &absent, .option_count = 1 },
		  FAIL_DESCRIPTION_INVALID,
		  "volume-1" },
		{ "device twice",
		  { .options = devices, .option_count = 2 },
		  FAIL_KEY_REPEATED,
		  "the device of volume-0" },
		{ "sidecar twice",
		  { .options = sidecars, .option_count = 2 },
		  FAIL_KEY_REPEATED,
		  "the sidecar of volume-0" },
		{ "directory",
		  { .directories = relative, .directory_count = 1 },
		  FAIL_DESCRIPTION_INVALID,
		  "directories are given, and the description has none" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e;

		expect_failure(rows[i].label, read_request(rows[i].request, LINE, &e), &e,
			       rows[i].code, rows[i].words);
	}
}

static void test_limits(void **state)
{
	static const char *directories[LAYERS_MAX + 1];
	struct socle_request request = { .directories = directories, .directory_count = 128 };
	char *text = calloc(1, DESCRIBE_SIZE_MAX + 2);
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		directories[i] = "/a";
	expect_failure("128 directories", read_request(request, LINE, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 127 directories");
	for (int i = 0; i < 127; i++)
		strcat(text, LINE);
	expect_success("127 layers", read_request((struct socle_request){ 0 }, text, &e), &e);
	assert_int_equal(stack.count, 127);
	strcat(text, LINE);
	expect_failure("128 layers", read_request((struct socle_request){ 0 }, text, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 127 layers");
	memset(text, ' ', DESCRIBE_SIZE_MAX + 1);
	expect_failure("a MiB and one", read_request((struct socle_request){ 0 }, text, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 1048576 bytes");
	expect_failure("none",
		       request_read(&(struct socle_request){ .description_size = 9 }, &stack,
				    &on_corruption, &timeout_ms, &e),
		       &e, FAIL_DESCRIPTION_INVALID, "empty");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
