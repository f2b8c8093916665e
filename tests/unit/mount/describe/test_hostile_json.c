// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is asked for by a name is there in the type that is asked for, or refused. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "mount/describe/describe.h"
#include "mount/describe/hostile_json.h"

static struct json_object *parsed(const char *text)
{
	struct json_object *root = NULL;
	struct err e = { 0 };

	expect_success(text, hostile_parse(text, strlen(text), &root, &e), &e);
	return root;
}

static const struct {
	const char *text;
	enum fail_code code;
	const char *words;
} refused[] = {
	{ "", FAIL_DESCRIPTION_INVALID, "the description is refused: the text has no end" },
	{ "{\"a\":1", FAIL_DESCRIPTION_INVALID, "no end, at byte 6" },
	{ "{\"a\":18446744073709551616}", FAIL_DESCRIPTION_INVALID, "64 bits" },
	{ "{\"a\":\"\xff\"}", FAIL_DESCRIPTION_INVALID, "UTF-8" },
	{ "{\"a\":1}x", FAIL_DESCRIPTION_INVALID, "data after the JSON text, at byte 7" },
	{ "{\"a\":1}{\"a\":2}", FAIL_DESCRIPTION_INVALID, "data after" },
	{ "{\"a\":1} \t{\"a\":2}", FAIL_DESCRIPTION_INVALID, "data after" },
	{ "{\"a\":1}\n{\"a\":2}\nx", FAIL_DESCRIPTION_INVALID, "not a value, at byte 16" },
	{ "{\"a\":1,\"a\":1}", FAIL_KEY_REPEATED, "is specified twice" },
	{ "{\"a\":1,\"\\u0061\":1}", FAIL_KEY_REPEATED, "is specified twice" },
	{ "[{},[{\"b\":{\"a\":1,\"c\":{},\"a\":null}}]]", FAIL_KEY_REPEATED, "is specified twice" },
	{ "{\"a\":1}\n{\"b\":2,\"b\":2}", FAIL_KEY_REPEATED, "is specified twice" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct json_object *root = NULL;
		struct err e = { 0 };

		expect_failure(refused[i].text,
			       hostile_parse(refused[i].text, strlen(refused[i].text), &root, &e),
			       &e, refused[i].code, refused[i].words);
		assert_null(root);
	}
}

static void test_lines(void **state)
{
	static const char *const texts[] = {
		"{\"a\":1}\n{\"a\":2}",
		"\n {\"a\":1}\r\n\n  {\"a\":2}\n",
		"{\n\"a\"\n:\n1\n}\n{\"a\":2}\n \n",
		"[{\"a\":1},{\"a\":2}]",
	};
	auto_json struct json_object *one = parsed("{\"a\":1}\n"), *number = parsed("12");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		auto_json struct json_object *root = parsed(texts[i]);
		struct json_object *object;
		struct err e = { 0 };
		uint64_t value;

		assert_int_equal(hostile_count(root), 2);
		expect_success(texts[i], hostile_object_at(root, 1, &object, &e), &e);
		expect_success(texts[i], hostile_number(object, "a", true, 9, &value, NULL, &e),
			       &e);
		assert_int_equal(value, 2);
	}
	assert_true(json_object_is_type(one, json_type_object));
	assert_int_equal(json_object_get_int(number), 12);
}

#define TOO_LARGE 10000000

/* Of 10 MB not a byte is read: they cannot be. */
static void test_too_large(void **state)
{
	char *text = mmap(NULL, TOO_LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct json_object *root = NULL;
	struct err e = { 0 };

	(void)state;
	assert_ptr_not_equal(text, MAP_FAILED);
	expect_failure("10 MB", hostile_parse(text, TOO_LARGE, &root, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "the description has more than 1048576 bytes");
	munmap(text, TOO_LARGE);
}

/* Of 10,000 arrays in each other those are read that may be, so no stack grows. */
static void test_too_deep(void **state)
{
	static char text[10001];
	struct json_object *root = NULL;
	struct err e = { 0 };

	(void)state;
	memset(text, '[', sizeof(text) - 1);
	expect_failure("10,000 deep", hostile_parse(text, sizeof(text) - 1, &root, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "nesting is too deep, at byte 16");
	memset(text, '[', DESCRIBE_DEPTH_MAX);
	memset(text + DESCRIBE_DEPTH_MAX, ']', DESCRIBE_DEPTH_MAX);
	text[2 * DESCRIBE_DEPTH_MAX] = '\0';
	expect_success("16 deep", hostile_parse(text, strlen(text), &root, &e), &e);
	json_object_put(root);
}

/* The processor's time for an object of so many bytes whose first name comes again at the end. */
static clock_t time_of_members(char *text, size_t size)
{
	struct json_object *root = NULL;
	struct err e = { 0 };
	size_t used = 0;
	clock_t start;

	text[used++] = '{';
	for (unsigned int i = 0; used < size - 20; i++)
		used += (size_t)sprintf(text + used, "\"%x\":0,", i);
	strcpy(text + used, "\"0\":0}");
	start = clock();
	expect_failure("the first again", hostile_parse(text, strlen(text), &root, &e), &e,
		       FAIL_KEY_REPEATED, "is specified twice");
	return clock() - start;
}

/* A name is a name to the end, and eight times as many do not take 64 times as long. */
static void test_many_members(void **state)
{
	static char text[DESCRIBE_SIZE_MAX + 1];
	clock_t few = time_of_members(text, DESCRIBE_SIZE_MAX / 8);

	(void)state;
	assert_true(time_of_members(text, DESCRIBE_SIZE_MAX) < 32 * few + CLOCKS_PER_SEC / 10);
}

#define ALL                                                                                        \
	"{\"text\":\"t\\u00e4\",\"newline\":\"a\\nb\",\"nul\":\"a\\u0000b\",\"delete\":\"\x7f\","  \
	"\"null\":null,\"number\":18446744073709551615,\"zero\":0,\"minus\":-1,\"fraction\":1.0,"  \
	"\"exponent\":1e2,\"digits\":\"12\",\"true\":true,\"false\":false,\"object\":{\"a\":1},"   \
	"\"array\":[\"a\",{\"a\":1},null,\"\\t\"],\"empty\":[]}"

static void test_strings(void **state)
{
	auto_json struct json_object *o = parsed(ALL);
	static const char *const wrong[] = { "newline", "nul", "delete", "zero", "array", "true" };
	const char *text = "untouched";
	struct err e = { 0 };

	(void)state;
	expect_success("text", hostile_string(o, "text", true, &text, &e), &e);
	assert_string_equal(text, "t\xc3\xa4");
	expect_success("null", hostile_string(o, "null", false, &text, &e), &e);
	assert_null(text);
	text = "untouched";
	expect_success("absent", hostile_string(o, "absent", false, &text, &e), &e);
	assert_null(text);
	expect_failure("null", hostile_string(o, "null", true, &text, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"null\" is missing");
	expect_failure("absent", hostile_string(o, "absent", true, &text, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"absent\" is missing");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_failure(wrong[i], hostile_string(o, wrong[i], false, &text, &e), &e,
			       FAIL_DESCRIPTION_INVALID, "is not a string");
}

static void test_numbers(void **state)
{
	auto_json struct json_object *o = parsed(ALL);
	static const char *const wrong[] = { "fraction", "exponent", "digits", "true", "object" };
	uint64_t number = 77;
	bool given = true;
	struct err e = { 0 };

	(void)state;
	expect_success("absent", hostile_number(o, "absent", false, 9, &number, &given, &e), &e);
	assert_false(given);
	assert_int_equal(number, 77);
	expect_success("number", hostile_number(o, "number", true, UINT64_MAX, &number, &given, &e),
		       &e);
	assert_true(given && number == UINT64_MAX);
	expect_success("zero", hostile_number(o, "zero", true, 0, &number, NULL, &e), &e);
	assert_int_equal(number, 0);
	expect_failure("number",
		       hostile_number(o, "number", true, UINT64_MAX - 1, &number, NULL, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"number\" is not between 0 and");
	expect_failure("minus", hostile_number(o, "minus", true, UINT64_MAX, &number, NULL, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "is not between 0 and");
	expect_failure("null", hostile_number(o, "null", true, 9, &number, NULL, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "is missing");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_failure(wrong[i],
			       hostile_number(o, wrong[i], false, UINT64_MAX, &number, NULL, &e),
			       &e, FAIL_DESCRIPTION_INVALID, "is not a whole number");
	assert_int_equal(number, 0);
}

static void test_others(void **state)
{
	auto_json struct json_object *o = parsed(ALL);
	struct json_object *object, *array;
	bool value = false, given = false;
	const char *text;
	struct err e = { 0 };

	(void)state;
	expect_success("true", hostile_bool(o, "true", &value, &given, &e), &e);
	assert_true(value && given);
	expect_success("false", hostile_bool(o, "false", &value, &given, &e), &e);
	assert_true(!value && given);
	value = true;
	expect_success("null", hostile_bool(o, "null", &value, &given, &e), &e);
	assert_true(value && !given);
	expect_failure("zero", hostile_bool(o, "zero", &value, &given, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"zero\" is not true or false");

	expect_success("object", hostile_object(o, "object", &object, &e), &e);
	assert_non_null(object);
	expect_failure("array", hostile_object(o, "array", &object, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"array\" is not an object");
	expect_success("absent", hostile_object(o, "absent", &object, &e), &e);
	assert_null(object);

	expect_success("absent", hostile_array(o, "absent", &array, &e), &e);
	assert_null(array);
	assert_int_equal(hostile_count(array), 0);
	expect_success("empty", hostile_array(o, "empty", &array, &e), &e);
	assert_int_equal(hostile_count(array), 0);
	expect_failure("object", hostile_array(o, "object", &array, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "\"object\" is not an array");
	expect_success("array", hostile_array(o, "array", &array, &e), &e);
	assert_int_equal(hostile_count(array), 4);
	expect_success("0", hostile_string_at(array, 0, &text, &e), &e);
	assert_string_equal(text, "a");
	expect_success("1", hostile_object_at(array, 1, &object, &e), &e);
	for (size_t i = 1; i < 4; i++)
		expect_failure("a string", hostile_string_at(array, i, &text, &e), &e,
			       FAIL_DESCRIPTION_INVALID, "an entry of a list");
	for (size_t i = 0; i < 4; i += 2)
		expect_failure("an object", hostile_object_at(array, i, &object, &e), &e,
			       FAIL_DESCRIPTION_INVALID, "an entry of a list");
}

static void test_only(void **state)
{
	static const char *const all[] = { "a", "b", "c", NULL }, *const some[] = { "a", NULL };
	auto_json struct json_object *o = parsed("{\"a\":1,\"b\":2}");
	struct err e = { 0 };

	(void)state;
	expect_success("all", hostile_only(o, all, &e), &e);
	expect_failure("some", hostile_only(o, some, &e), &e, FAIL_KEY_UNKNOWN,
		       "unknown key \"b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_lines),
		cmocka_unit_test(test_too_large),    cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_many_members), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_numbers),      cmocka_unit_test(test_others),
		cmocka_unit_test(test_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
