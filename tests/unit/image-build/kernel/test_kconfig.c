// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/kernel/features.h"
#include "image-build/kernel/ikconfig.h"
#include "image-build/kernel/kconfig.h"

static enum kconfig_state state_of(const struct kconfig *k, const char *name)
{
	return kconfig_state(k, name, strlen(name));
}

/* --- the text of a configuration ---------------------------------------------- */

#define HEAD "# Linux/x86 6.12.118 Kernel Configuration\n"

static const struct state_row {
	const char *text;
	const char *name;
	enum kconfig_state state;
} state_rows[] = {
	{ "CONFIG_A=y\n", "A", KCONFIG_BUILT_IN },
	{ "CONFIG_A=m\n", "A", KCONFIG_MODULE },
	{ "CONFIG_A=n\n", "A", KCONFIG_OFF },
	{ "CONFIG_A=64\n", "A", KCONFIG_VALUE },
	{ "CONFIG_A=\"y\"\n", "A", KCONFIG_VALUE },
	{ "CONFIG_A=\"\"\n", "A", KCONFIG_OFF },
	{ "CONFIG_A=\n", "A", KCONFIG_VALUE },
	{ "CONFIG_A=yy\n", "A", KCONFIG_VALUE },
	{ "CONFIG_A=y", "A", KCONFIG_BUILT_IN },
	{ "\n\n# x\n#\nCONFIG_A=y\n", "A", KCONFIG_BUILT_IN },
	{ "CONFIG_AB=y\n", "A", KCONFIG_UNSAID },
	{ "CONFIG_A=y\n", "AB", KCONFIG_UNSAID },
	/* what Kconfig wrote whole says of what is not there that it is off */
	{ HEAD "CONFIG_A=y\n", "AB", KCONFIG_OFF },
	/* blank lines, and ends of lines, as editors of all kinds leave them */
	{ " \nCONFIG_A=y\n", "A", KCONFIG_BUILT_IN },
	{ "\t \r\nCONFIG_A=y \r\n\r\n", "A", KCONFIG_BUILT_IN },
	{ "# CONFIG_A is not set \n", "A", KCONFIG_OFF },
	{ "CONFIG_64BIT=y\nCONFIG_a_1=y\n", "a_1", KCONFIG_BUILT_IN },
	/* the last one counts */
	{ "CONFIG_A=m\nCONFIG_B=y\nCONFIG_A=y\n", "A", KCONFIG_BUILT_IN },
	{ "CONFIG_A=y\n# CONFIG_A is not set\n", "A", KCONFIG_OFF },
	{ "# CONFIG_A is not set\nCONFIG_A=y\n", "A", KCONFIG_BUILT_IN },
	/* comments that are no more than that */
	{ "CONFIG_A=y\n# CONFIG_A is not set, or is it\n", "A", KCONFIG_BUILT_IN },
	{ "CONFIG_A=y\n#CONFIG_A=n\n", "A", KCONFIG_BUILT_IN },
};

static void test_states(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(state_rows); i++) {
		const struct state_row *row = &state_rows[i];
		struct err e = { .text = "" };
		struct kconfig k;

		expect_success(row->text, kconfig_parse(row->text, strlen(row->text), &k, &e), &e);
		if (state_of(&k, row->name) != row->state)
			fail_msg("%s: %s is %d", row->text, row->name, state_of(&k, row->name));
		kconfig_free(&k);
	}
}

static const struct refused_row {
	const char *text;
	const char *words;
} refused_rows[] = {
	{ "", "no option" },
	{ "# nothing\n", "no option" },
	{ "CONFIG_A=y\nhello\n", "line 2: not a line" },
	{ "CONFIG_A\n", "line 1: not a line" },
	{ "CONFIG_=y\n", "line 1: not a line" },
	{ "CONFIG_A =y\n", "line 1: not a line" },
	{ " CONFIG_A=y\n", "line 1: not a line" },
	{ "CONFIG_A=y\r\r\n", "line 1: a control character" },
	{ "CONFIG_A=y\n\f\n", "line 2: a control character" },
	{ "CONFIG_A=y\n\x7f"
	  "ELF\n",
	  "line 2: not a line" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused_rows); i++) {
		const struct refused_row *row = &refused_rows[i];
		struct err e = { .text = "" };
		struct kconfig k;
		int r = kconfig_parse(row->text, strlen(row->text), &k, &e);

		expect_failure(row->text, r, &e, FAIL_VALUE_INVALID, row->words);
	}
}

static void test_name_limit(void **state)
{
	char line[32 + KCONFIG_NAME_MAX];
	struct err e = { .text = "" };
	struct kconfig k;

	(void)state;
	for (int size = KCONFIG_NAME_MAX; size <= KCONFIG_NAME_MAX + 1; size++) {
		int length = snprintf(line, sizeof(line), "CONFIG_%0*d=y\n", size, 0);
		int r = kconfig_parse(line, (size_t)length, &k, &e);

		if (size == KCONFIG_NAME_MAX) {
			expect_success("at the limit", r, &e);
			kconfig_free(&k);
		} else {
			expect_failure("above", r, &e, FAIL_LIMIT_EXCEEDED, "127 bytes");
		}
	}
}

static void test_option_limit(void **state)
{
	size_t room = (KCONFIG_OPTIONS_MAX + 1) * sizeof("CONFIG_65536=y\n");
	char *text = malloc(room);
	struct err e = { .text = "" };
	size_t size = 0;
	struct kconfig k;

	(void)state;
	for (int i = 0; i < KCONFIG_OPTIONS_MAX; i++)
		size += (size_t)sprintf(text + size, "CONFIG_%d=y\n", i);
	expect_success("at the limit", kconfig_parse(text, size, &k, &e), &e);
	assert_int_equal(k.count, KCONFIG_OPTIONS_MAX);
	kconfig_free(&k);
	size += (size_t)sprintf(text + size, "CONFIG_%d=y\n", KCONFIG_OPTIONS_MAX);
	expect_failure("above", kconfig_parse(text, size, &k, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "65536 options");
	free(text);
}

static void test_text_limit(void **state)
{
	char *text = malloc(KCONFIG_TEXT_MAX + 1);
	struct err e = { .text = "" };
	struct kconfig k;

	(void)state;
	memset(text, '\n', KCONFIG_TEXT_MAX + 1);
	memcpy(text, "CONFIG_A=y", 10);
	expect_success("at the limit", kconfig_parse(text, KCONFIG_TEXT_MAX, &k, &e), &e);
	kconfig_free(&k);
	expect_failure("above", kconfig_parse(text, KCONFIG_TEXT_MAX + 1, &k, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "bytes");
	free(text);
}

static const struct head_row {
	const char *text;
	unsigned int version, patch_level;
	enum kernel_arch arch;
} head_rows[] = {
	{ "#\n# Automatically generated file; DO NOT EDIT.\n"
	  "# Linux/x86 6.12.118 Kernel Configuration\n#\nCONFIG_X86_64=y\n",
	  6, 12, ARCH_X86_64 },
	{ "# Linux/s390 7.3.4 Kernel Configuration\nCONFIG_S390=y\n", 7, 3, ARCH_S390X },
	{ "# Linux/arm64 6.19-rc1 Kernel Configuration\nCONFIG_ARM64=y\n", 6, 19, ARCH_AARCH64 },
	{ "# Linux/x86 six\nCONFIG_X86_64=m\n", 0, 0, ARCH_UNKNOWN },
	{ "# Linux/\nCONFIG_X86=y\n", 0, 0, ARCH_UNKNOWN },
};

static void test_head(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(head_rows); i++) {
		const struct head_row *row = &head_rows[i];
		struct err e = { .text = "" };
		struct kconfig k;

		expect_success(row->text, kconfig_parse(row->text, strlen(row->text), &k, &e), &e);
		assert_int_equal(k.version, row->version);
		assert_int_equal(k.patch_level, row->patch_level);
		assert_int_equal(kernel_arch_of(&k), row->arch);
		kconfig_free(&k);
	}
}

/* --- features -------------------------------------------------------------------- */

#define VERITY_LINES                                                                               \
	"CONFIG_BLK_DEV_DM=y\nCONFIG_DM_VERITY=y\nCONFIG_CRYPTO_USER_API_HASH=y\n"                 \
	"CONFIG_CRYPTO_SHA256=y\nCONFIG_CRYPTO_SHA512=y\n"

#define OWN_ROOT_LINES "CONFIG_VIRTIO_BLK=y\nCONFIG_EROFS_FS=y\n"

static const struct feature_row {
	const char *feature;
	enum kernel_arch arch;
	const char *text;
	int state;
	int kind; /* of the first finding; -1: there is none */
	const char *options;
} feature_rows[] = {
	{ "verity", ARCH_X86_64, VERITY_LINES "CONFIG_CRYPTO_SHA256_SSSE3=y\n", FEATURE_IS_BUILT_IN,
	  -1, NULL },
	/* alternatives */
	{ "verity", ARCH_X86_64, VERITY_LINES "CONFIG_CRYPTO_LIB_SHA256_ARCH=y\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
	{ "verity", ARCH_S390X, VERITY_LINES, FEATURE_IS_BUILT_IN, FINDING_UNSAID,
	  "CRYPTO_SHA256_S390|CRYPTO_LIB_SHA256_ARCH" },
	{ "verity", ARCH_S390X, HEAD VERITY_LINES, FEATURE_IS_BUILT_IN, FINDING_WORSE,
	  "CRYPTO_SHA256_S390|CRYPTO_LIB_SHA256_ARCH" },
	/* no device-mapper, no hash, and verity as a module only */
	{ "verity", ARCH_S390X, VERITY_LINES "CONFIG_BLK_DEV_DM=n\n", FEATURE_IS_MISSING,
	  FINDING_MISSING, "BLK_DEV_DM" },
	{ "verity", ARCH_S390X, VERITY_LINES "# CONFIG_CRYPTO_SHA256 is not set\n",
	  FEATURE_IS_MISSING, FINDING_MISSING, "CRYPTO_SHA256" },
	{ "verity", ARCH_S390X, VERITY_LINES "CONFIG_DM_VERITY=m\n", FEATURE_IS_MODULAR,
	  FINDING_MODULE, "DM_VERITY" },
	/* the archive is packed in a way that the kernel cannot unpack */
	{ "initramfs-zstd", ARCH_X86_64, HEAD "CONFIG_RD_GZIP=y\n", FEATURE_IS_MISSING,
	  FINDING_MISSING, "RD_ZSTD" },
	/* without extended attributes, of the upper or of erofs, deleted files come back */
	{ "layers", ARCH_X86_64,
	  HEAD "CONFIG_EROFS_FS=y\nCONFIG_EROFS_FS_XATTR=y\nCONFIG_EROFS_FS_SECURITY=y\n"
	       "CONFIG_OVERLAY_FS=y\n",
	  FEATURE_IS_MISSING, FINDING_MISSING, "TMPFS_XATTR" },
	{ "layers", ARCH_X86_64,
	  HEAD "CONFIG_EROFS_FS=y\nCONFIG_EROFS_FS_SECURITY=y\nCONFIG_OVERLAY_FS=y\n"
	       "CONFIG_TMPFS_XATTR=y\n",
	  FEATURE_IS_MISSING, FINDING_MISSING, "EROFS_FS_XATTR" },
	/* a module is too late */
	{ "dm-init", ARCH_X86_64,
	  "CONFIG_DM_INIT=y\nCONFIG_BLK_DEV_DM=y\nCONFIG_DM_VERITY=m\nCONFIG_CRYPTO_SHA256=y\n",
	  FEATURE_IS_MISSING, FINDING_LATE, "DM_VERITY" },
	/* versions; one that is not known is not held against the kernel */
	{ "tarfs", ARCH_X86_64,
	  "# Linux/x86 6.1.9 Kernel Configuration\nCONFIG_EROFS_FS=y\nCONFIG_EROFS_FS_XATTR=y\n",
	  FEATURE_IS_MISSING, FINDING_OLD, "6.4" },
	{ "tarfs", ARCH_X86_64,
	  "# Linux/x86 6.4.0 Kernel Configuration\nCONFIG_EROFS_FS=y\nCONFIG_EROFS_FS_XATTR=y\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
	{ "tarfs", ARCH_X86_64, "CONFIG_EROFS_FS=y\nCONFIG_EROFS_FS_XATTR=y\n", FEATURE_IS_BUILT_IN,
	  -1, NULL },
	/* TEEs of other architectures */
	{ "tdx", ARCH_S390X, "CONFIG_INTEL_TDX_GUEST=y\n", FEATURE_IS_ELSEWHERE, -1, NULL },
	{ "se", ARCH_S390X, "# Linux/s390 6.12.118 Kernel Configuration\nCONFIG_S390_GUEST=y\n",
	  FEATURE_IS_MISSING, FINDING_MISSING, "S390_UV_UAPI" },
	/* what a part of a configuration does not mention is not said to be off */
	{ "se", ARCH_S390X, "CONFIG_S390_GUEST=y\n", FEATURE_IS_UNSAID, FINDING_UNSAID,
	  "S390_UV_UAPI" },
	{ "initramfs-zstd", ARCH_X86_64, "CONFIG_RD_GZIP=y\n", FEATURE_IS_UNSAID, FINDING_UNSAID,
	  "RD_ZSTD" },
	{ "initramfs-zstd", ARCH_X86_64, "# CONFIG_RD_ZSTD is not set\n", FEATURE_IS_MISSING,
	  FINDING_MISSING, "RD_ZSTD" },
	/* a disk's driver, its file system, and no /init inside: the kernel can mount it */
	{ "no-own-root", ARCH_X86_64, HEAD OWN_ROOT_LINES, FEATURE_IS_MISSING, FINDING_MISSING,
	  "INITRAMFS_SOURCE" },
	{ "no-own-root", ARCH_X86_64, HEAD OWN_ROOT_LINES "CONFIG_INITRAMFS_SOURCE=\"\"\n",
	  FEATURE_IS_MISSING, FINDING_MISSING, "INITRAMFS_SOURCE" },
	{ "no-own-root", ARCH_X86_64, HEAD OWN_ROOT_LINES "CONFIG_INITRAMFS_SOURCE=\"a.cpio\"\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
	{ "no-own-root", ARCH_X86_64, HEAD OWN_ROOT_LINES "CONFIG_VIRTIO_BLK=m\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
	{ "no-own-root", ARCH_X86_64, HEAD OWN_ROOT_LINES "CONFIG_EROFS_FS=m\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
	{ "no-own-root", ARCH_X86_64, OWN_ROOT_LINES, FEATURE_IS_UNSAID, FINDING_UNSAID,
	  "INITRAMFS_SOURCE" },
	{ "no-own-root", ARCH_X86_64, "CONFIG_VIRTIO_BLK=y\n", FEATURE_IS_UNSAID, FINDING_UNSAID,
	  "INITRAMFS_SOURCE" },
	{ "no-own-root", ARCH_X86_64, "CONFIG_VIRTIO_BLK=y\nCONFIG_INITRAMFS_SOURCE=\"a.cpio\"\n",
	  FEATURE_IS_BUILT_IN, -1, NULL },
};

static void check_feature_row(const struct feature_row *row)
{
	struct feature_report report;
	struct err e = { .text = "" };
	struct kconfig k;

	expect_success(row->feature, kconfig_parse(row->text, strlen(row->text), &k, &e), &e);
	feature_check(&k, row->arch, feature_find(row->feature), &report);
	if ((int)report.state != row->state || (report.count > 0) != (row->kind >= 0))
		fail_msg("%s:\n%s: state %d, %zu findings", row->feature, row->text,
			 (int)report.state, report.count);
	if (report.count) {
		assert_int_equal(report.findings[0].kind, row->kind);
		assert_string_equal(report.findings[0].options, row->options);
	}
	kconfig_free(&k);
}

static void test_features(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(feature_rows); i++)
		check_feature_row(&feature_rows[i]);
	assert_int_equal(feature_find("no-such"), FEATURES);
}

/*
 * Nothing but options that nobody asks for, and what a guard is against: every rule has
 * something to say.
 */
static void test_findings_limit(void **state)
{
	static const char text[] = "# Linux/x86 2.6.0 Kernel Configuration\n"
				   "CONFIG_DASD=y\nCONFIG_EXT2_FS=y\n";
	struct feature_report report;
	struct err e = { .text = "" };
	struct kconfig k;

	(void)state;
	expect_success("text", kconfig_parse(text, strlen(text), &k, &e), &e);
	for (unsigned int i = 0; i < FEATURES; i++) {
		feature_check(&k, ARCH_ANY, (enum feature)i, &report);
		assert_true(report.count > 0 && report.count < FINDINGS_MAX);
		assert_int_equal(report.state, FEATURE_IS_MISSING);
	}
	kconfig_free(&k);
}

static const struct require_row {
	const char *label;
	const char *text;
	bool modules;
	const char *words; /* NULL: all is there */
} require_rows[] = {
	{ "off", HEAD "CONFIG_X=y\n", true, "verity: CONFIG_BLK_DEV_DM is off" },
	{ "not said", "CONFIG_X=y\n", true, NULL },
	{ "not said, and off", "CONFIG_X=y\n# CONFIG_DM_VERITY is not set\n", true,
	  "verity: CONFIG_DM_VERITY is off" },
	{ "built in", VERITY_LINES, false, NULL },
	{ "module", VERITY_LINES "CONFIG_DM_VERITY=m\n", true, NULL },
	{ "module, none packed", VERITY_LINES "CONFIG_DM_VERITY=m\n", false,
	  "CONFIG_DM_VERITY is a module, and no modules are packed" },
	{ "old", "# Linux/s390 5.8.1 Kernel Configuration\n" VERITY_LINES, true,
	  "verity: it is older than Linux 5.9" },
	{ "a help as module", VERITY_LINES "CONFIG_CRYPTO_SHA512=m\n", false, NULL },
};

static void test_require(void **state)
{
	bool required[FEATURES] = { [FEATURE_VERITY] = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(require_rows); i++) {
		const struct require_row *row = &require_rows[i];
		struct err e = { .text = "" };
		struct kconfig k;
		int r;

		expect_success(row->label, kconfig_parse(row->text, strlen(row->text), &k, &e), &e);
		r = features_require(&k, ARCH_S390X, required, row->modules, &e);
		if (row->words)
			expect_failure(row->label, r, &e, FAIL_KERNEL_FEATURE_MISSING, row->words);
		else
			expect_success(row->label, r, &e);
		kconfig_free(&k);
	}
	features_defaults(required);
	assert_true(required[FEATURE_VERITY] && required[FEATURE_LAYERS] &&
		    required[FEATURE_DISKS]);
	assert_false(required[FEATURE_TDX]);
}

/* --- the configuration in an image ----------------------------------------------- */

static const char config[] = "# Linux/x86 6.12.1 Kernel Configuration\nCONFIG_X86_64=y\n";

/* One stream of bytes, packed. Returns its size. */
static size_t pack(const char *filter, const void *bytes, size_t size, uint8_t *ret, size_t room)
{
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	archive_write_set_format_raw(a);
	assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	assert_int_equal(archive_write_open_memory(a, ret, room, &used), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, bytes, size), size);
	archive_entry_free(entry);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return used;
}

#define ROOM     (4 << 20)
#define MARK_AT  (1 << 20)
#define DATA_END (2 << 20)

/* The data of a kernel: noise, and at an odd place the configuration between its marks. */
static size_t make_data(uint8_t *data, const void *text, size_t text_size, size_t at)
{
	size_t size = at;

	for (size_t i = 0; i < DATA_END; i++)
		data[i] = (uint8_t)(i * 2654435761U >> 13);
	memcpy(data + size, "IKCFG_ST", 8);
	size += 8;
	size += pack("gzip", text, text_size, data + size, ROOM - size);
	memcpy(data + size, "IKCFG_ED", 8);
	return DATA_END;
}

static void expect_config(const char *label, const uint8_t *image, size_t size)
{
	struct err e = { .text = "" };
	char *text = NULL;
	size_t text_size;

	expect_success(label, ikconfig_text(image, size, &text, &text_size, &e), &e);
	assert_int_equal(text_size, strlen(config));
	assert_string_equal(text, config);
	free(text);
}

static void test_extract(void **state)
{
	static const char *const filters[] = { "gzip", "xz", "zstd", "lz4" };
	/* The last one lies across two of the pieces in which data is unpacked. */
	static const size_t places[] = { 12345, MARK_AT, (128 << 10) - 3 };
	uint8_t *data = malloc(ROOM), *image = malloc(ROOM);

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
		size_t size = make_data(data, config, strlen(config), places[p]);

		expect_config("as it is", data, size);
		for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
			size_t used = 777;

			/* A boot loader before it, other bytes after it. */
			memset(image, 0x90, ROOM);
			memcpy(image + 100, "\x1f\x8b\x08", 3);
			used += pack(filters[i], data, size, image + used, ROOM - used);
			expect_config(filters[i], image, used + 1000);
		}
	}
	free(data);
	free(image);
}

static void test_plain(void **state)
{
	uint8_t packed[4096];

	(void)state;
	expect_config("text", (const uint8_t *)config, strlen(config));
	expect_config("config.gz", packed,
		      pack("gzip", config, strlen(config), packed, sizeof(packed)));
}

static void expect_none(const char *label, const void *image, size_t size, enum fail_code code,
			const char *words)
{
	struct err e = { .text = "" };
	char *text = NULL;
	size_t text_size;

	expect_failure(label, ikconfig_text(image, size, &text, &text_size, &e), &e, code, words);
	assert_null(text);
}

static void test_none(void **state)
{
	uint8_t *data = malloc(ROOM), *text = calloc(1, KCONFIG_TEXT_MAX + 1);

	(void)state;
	expect_none("empty", "", 0, FAIL_VALUE_INVALID, "no configuration");
	expect_none("noise",
		    "\x7f"
		    "ELF.....",
		    9, FAIL_VALUE_INVALID, "no configuration");
	expect_none("cut off", "IKCFG_ST\x1f\x8b", 10, FAIL_VALUE_INVALID, "no configuration");
	expect_none("not packed", "..IKCFG_STxxxxIKCFG_ED", 22, FAIL_VALUE_INVALID, "damaged");
	/* Marks in reverse. */
	expect_none("reverse", "IKCFG_EDxxxxIKCFG_ST", 20, FAIL_VALUE_INVALID, "no configuration");
	/* A text that is a bomb. */
	make_data(data, text, KCONFIG_TEXT_MAX + 1, 4096);
	expect_none("bomb", data, DATA_END, FAIL_LIMIT_EXCEEDED, "more than");
	/* Damaged in the middle. */
	make_data(data, config, strlen(config), 4096);
	memset(data + 4096 + 8 + 12, 0xff, 24);
	expect_none("damaged", data, DATA_END, FAIL_VALUE_INVALID, "damaged");
	free(data);
	free(text);
}

/* More between the marks, inside of a compressed kernel, than any configuration has. */
static void test_gzip_limit(void **state)
{
	uint8_t *data = calloc(1, ROOM), *image = malloc(ROOM);

	(void)state;
	memcpy(data + 10, "IKCFG_ST", 8);
	expect_none("endless", image, pack("zstd", data, ROOM, image, ROOM), FAIL_LIMIT_EXCEEDED,
		    "more than 1048576 bytes");
	free(data);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_name_limit), cmocka_unit_test(test_option_limit),
		cmocka_unit_test(test_text_limit), cmocka_unit_test(test_head),
		cmocka_unit_test(test_features),   cmocka_unit_test(test_findings_limit),
		cmocka_unit_test(test_require),    cmocka_unit_test(test_extract),
		cmocka_unit_test(test_plain),      cmocka_unit_test(test_none),
		cmocka_unit_test(test_gzip_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
