// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Signatures of root hashes: what is taken for one, and who verifies it. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verity/kernel.h"
#include "verity/signature.h"

/* --- texts ------------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *path;  /* NULL: its bytes stand in the text */
	size_t size;       /* in the pool */
	const char *words; /* NULL: taken */
} texts[] = {
	{ "/a", "/a", 3, NULL },
	{ "/etc/socle/root.p7s", "/etc/socle/root.p7s", 20, NULL },
	{ "base64:MA==", NULL, 1, NULL },
	{ "base64:MIIB", NULL, 3, NULL },
	{ "", NULL, 0, "neither /FILE in the initramfs nor base64:TEXT" },
	{ "a", NULL, 0, "neither /FILE" },
	{ "./a", NULL, 0, "neither /FILE" },
	{ "MIIB", NULL, 0, "neither /FILE" },
	{ "base64", NULL, 0, "neither /FILE" },
	{ "Base64:MIIB", NULL, 0, "neither /FILE" },
	{ "auto", NULL, 0, "neither /FILE" },
	{ "base64:", NULL, 0, "is empty" },
	{ "base64:MII", NULL, 0, "not base64 text" },
	{ "base64:MIIB\n", NULL, 0, "not base64 text" },
	{ "base64:AAAA", NULL, 0, "is not in DER" },
	{ "/a\nb", NULL, 0, "control characters" },
	{ "/a\x7f", NULL, 0, "control characters" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		uint8_t bytes[64];
		struct verity_signature_pool pool = { bytes, sizeof(bytes), 3 };
		struct verity_signature_ref ref = { .at = 7 };
		struct err e = { 0 };
		int r = verity_signature_parse(texts[i].text, &pool, &ref, &e);

		if (texts[i].words) {
			expect_failure(texts[i].text, r, &e, FAIL_SIGNATURE_INVALID,
				       texts[i].words);
			assert_int_equal(ref.at, 7);
			assert_false(verity_signature_asked(&ref));
			assert_int_equal(pool.used, 3);
			continue;
		}
		expect_success(texts[i].text, r, &e);
		assert_true(verity_signature_asked(&ref));
		assert_int_equal(ref.at, 3);
		assert_int_equal(pool.used, 3 + ref.size);
		assert_int_equal(ref.size, texts[i].size);
		if (texts[i].path)
			assert_string_equal(verity_signature_path(&ref, bytes), texts[i].path);
		else
			assert_null(verity_signature_path(&ref, bytes));
	}
}

static void test_path_length(void **state)
{
	char text[VERITY_SIGNATURE_PATH_SIZE + 1];
	uint8_t bytes[2 * VERITY_SIGNATURE_PATH_SIZE];
	struct verity_signature_pool pool = { bytes, sizeof(bytes), 0 };
	struct verity_signature_ref ref;
	struct err e = { 0 };

	(void)state;
	memset(text, '/', sizeof(text));
	text[VERITY_SIGNATURE_PATH_SIZE - 1] = '\0';
	expect_success("255", verity_signature_parse(text, &pool, &ref, &e), &e);
	text[VERITY_SIGNATURE_PATH_SIZE - 1] = '/';
	text[VERITY_SIGNATURE_PATH_SIZE] = '\0';
	expect_failure("256", verity_signature_parse(text, &pool, &ref, &e), &e,
		       FAIL_SIGNATURE_INVALID, "more than 255 bytes");
}

/* 4096 bytes are 1365 groups of three and one byte; 4097 are one more. */
static void test_text_length(void **state)
{
	static char text[8192];
	static uint8_t bytes[2 * VERITY_SIGNATURE_MAX];
	struct verity_signature_pool pool = { bytes, sizeof(bytes), 0 };
	struct verity_signature_ref ref;
	struct err e = { 0 };
	size_t digits = VERITY_SIGNATURE_MAX / 3 * 4;

	(void)state;
	strcpy(text, "base64:");
	memset(text + 7, 'M', digits + 3);
	strcpy(text + 7 + digits, "MA==");
	expect_success("4096", verity_signature_parse(text, &pool, &ref, &e), &e);
	assert_int_equal(ref.size, VERITY_SIGNATURE_MAX);
	strcpy(text + 7 + digits, "MDA=");
	expect_failure("4097", verity_signature_parse(text, &pool, &ref, &e), &e,
		       FAIL_SIGNATURE_INVALID, "has more than 4096 bytes");
}

/* A pool holds what it has room for, to the byte, and what it has stays as it is. */
static void test_pool(void **state)
{
	uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7 };
	struct verity_signature_pool pool = { bytes, 6, 0 };
	struct verity_signature_ref first, second, none = { 0 };
	struct err e = { 0 };

	(void)state;
	expect_success("first", verity_signature_parse("/a", &pool, &first, &e), &e);
	expect_failure("a path", verity_signature_parse("/bc", &pool, &none, &e), &e,
		       FAIL_LIMIT_EXCEEDED,
		       "all signatures of root hashes together have more "
		       "than 6 bytes");
	expect_failure("bytes", verity_signature_parse("base64:MAIBAA==", &pool, &none, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 6 bytes");
	expect_success("second", verity_signature_parse("base64:MAEA", &pool, &second, &e), &e);
	expect_failure("full", verity_signature_parse("base64:MA==", &pool, &none, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 6 bytes");
	assert_false(verity_signature_asked(&none));
	assert_string_equal(verity_signature_path(&first, bytes), "/a");
	assert_memory_equal(bytes + second.at, "\x30\x01\x00\x07", 4);
}

/* --- files ------------------------------------------------------------------------- */

static void test_files(void **state)
{
	static const struct {
		const char *label, *file;
		size_t size;
		uint8_t first;
		const char *words; /* NULL: taken */
	} rows[] = {
		{ "one byte", "p7s", 1, 0x30, NULL },
		{ "the longest", "p7s", VERITY_SIGNATURE_MAX, 0x30, NULL },
		{ "too long", "p7s", VERITY_SIGNATURE_MAX + 1, 0x30,
		  "p7s: the signature of the "
		  "root hash has more than 4096 bytes" },
		{ "much too long", "p7s", 3 * VERITY_SIGNATURE_MAX, 0x30, "more than 4096 bytes" },
		{ "empty", "p7s", 0, 0, "p7s: the signature of the root hash is empty" },
		{ "PEM", "p7s", 100, '-', "is not in DER" },
		{ "absent", "other", 1, 0x30, "p7s: No such file" },
		{ "a folder", "p7s/x", 1, 0x30, "p7s: Is a directory" },
	};
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static uint8_t bytes[3 * VERITY_SIGNATURE_MAX];
		char path[128];
		struct verity_signature_ref ref = { .size = sizeof(path), .in_file = true };
		struct verity_signature buf;
		const struct verity_signature *s = NULL;
		struct err e = { 0 };
		struct temp t;
		int r;

		temp_make(&t);
		memset(bytes, 0xa5, sizeof(bytes));
		bytes[0] = rows[i].first;
		put_bytes(t.fd, rows[i].file, bytes, rows[i].size);
		snprintf(path, sizeof(path), "%s/p7s", t.path);
		r = verity_signature_load(&ref, (const uint8_t *)path, &buf, &s, &e);
		temp_remove(&t);
		assert_int_equal(open_fds(), fds);
		if (rows[i].words) {
			expect_failure(rows[i].label, r, &e, FAIL_SIGNATURE_INVALID, rows[i].words);
			assert_null(s);
			continue;
		}
		expect_success(rows[i].label, r, &e);
		assert_ptr_equal(s, &buf);
		assert_int_equal(s->size, rows[i].size);
		assert_memory_equal(s->bytes, bytes, s->size);
	}
}

static void test_without_a_file(void **state)
{
	const struct verity_signature_ref none = { .at = 1 }, text = { .at = 1, .size = 3 };
	const uint8_t pool[] = { 1, 0x30, 1, 2, 3 };
	struct verity_signature buf;
	const struct verity_signature *s = &buf;
	struct err e = { 0 };

	(void)state;
	assert_false(verity_signature_asked(&none));
	expect_success("none", verity_signature_load(&none, pool, &buf, &s, &e), &e);
	assert_null(s);
	expect_success("text", verity_signature_load(&text, pool, &buf, &s, &e), &e);
	assert_ptr_equal(s, &buf);
	assert_int_equal(s->size, 3);
	assert_memory_equal(s->bytes, pool + 1, 3);
}

/* --- the kernel -------------------------------------------------------------------- */

static void test_kernel_verifies_signatures(void **state)
{
	struct err e = { 0 };
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "module/dm_verity/parameters/prefetch_cluster", "262144\n");
	expect_failure("without", verity_kernel_check_signatures(t.fd, &e), &e,
		       FAIL_KERNEL_FEATURE_MISSING,
		       "the kernel lacks CONFIG_DM_VERITY_VERIFY_ROOTHASH_SIG");
	put_text(t.fd, "module/dm_verity/parameters/require_signatures", "N\n");
	expect_success("with", verity_kernel_check_signatures(t.fd, &e), &e);
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_path_length),
		cmocka_unit_test(test_text_length),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_without_a_file),
		cmocka_unit_test(test_kernel_verifies_signatures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
