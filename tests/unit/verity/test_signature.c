// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Signatures of root hashes: what is taken for one, and what is made of the
 * kernel's answer to it. libcryptsetup's functions are defined here and win over
 * the real ones, and so do the two that ask for the device that it made.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <libcryptsetup.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_sys.h"
#include "verity/kernel.h"
#include "verity/open.h"

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

/* --- opening ----------------------------------------------------------------------- */

static struct {
	int result;            /* of the activation */
	const char *complaint; /* of libcryptsetup, or NULL */
	void (*log)(int level, const char *msg, void *usrptr);
	void *usrptr;
} crypt;

/* What crypt_init() makes: nothing is asked to speak before it, or for all devices. */
static struct crypt_device *const made = (void *)&crypt;

void crypt_set_log_callback(struct crypt_device *cd,
			    void (*log)(int level, const char *msg, void *usrptr), void *usrptr)
{
	assert_ptr_equal(cd, made);
	crypt.log = log;
	crypt.usrptr = usrptr;
}

int crypt_init(struct crypt_device **cd, const char *device)
{
	*cd = fake_sys_call("init %s\n", device) ? NULL : made;
	return *cd ? 0 : -ENOTBLK;
}

void crypt_free(struct crypt_device *cd)
{
	(void)cd;
}

int crypt_format(struct crypt_device *cd, const char *type, const char *cipher,
		 const char *cipher_mode, const char *uuid, const char *volume_key,
		 size_t volume_key_size, void *params)
{
	(void)cd;
	(void)type;
	(void)cipher;
	(void)cipher_mode;
	(void)uuid;
	(void)volume_key;
	(void)volume_key_size;
	(void)params;
	return fake_sys_call("format\n");
}

int crypt_activate_by_signed_key(struct crypt_device *cd, const char *name, const char *volume_key,
				 size_t volume_key_size, const char *signature,
				 size_t signature_size, uint32_t flags)
{
	(void)cd;
	(void)volume_key;
	(void)flags;
	(void)fake_sys_call("activate %s hash=%zu signature=%s%zu\n", name, volume_key_size,
			    signature ? "" : "none ", signature_size);
	if (crypt.complaint)
		crypt.log(CRYPT_LOG_ERROR, crypt.complaint, crypt.usrptr);
	return crypt.result;
}

int crypt_deactivate(struct crypt_device *cd, const char *name)
{
	(void)cd;
	return fake_sys_call("deactivate %s\n", name);
}

/* device-mapper, as far as verity/dm.c and verity_open() go */

struct dm_task {
	int type;
};

struct dm_task *dm_task_create(int type)
{
	struct dm_task *task = calloc(1, sizeof(*task));

	task->type = type;
	return task;
}

void dm_task_destroy(struct dm_task *task)
{
	free(task);
}

void dm_log_with_errno_init(dm_log_with_errno_fn fn)
{
	(void)fn;
}

int dm_task_set_name(struct dm_task *task, const char *name)
{
	(void)task;
	(void)name;
	return 1;
}

int dm_task_no_open_count(struct dm_task *task)
{
	(void)task;
	return 1;
}

/* Which device device-mapper says that it made, if it says anything. */
static const struct dm_info made_device = { .exists = 1, .read_only = 1, .major = 253, .minor = 4 };
static struct dm_info info_of_device;
static bool task_fails, info_fails;
static unsigned int releases;

int dm_task_run(struct dm_task *task)
{
	assert_int_equal(task->type, DM_DEVICE_INFO);
	return !task_fails;
}

int dm_task_get_info(struct dm_task *task, struct dm_info *info)
{
	(void)task;
	*info = info_of_device;
	return !info_fails;
}

void *dm_get_next_target(struct dm_task *task, void *next, uint64_t *start, uint64_t *length,
			 char **target_type, char **params)
{
	(void)task;
	(void)next;
	(void)start;
	(void)length;
	(void)target_type;
	(void)params;
	return NULL;
}

void dm_lib_release(void)
{
	releases++;
}

#define RELOAD "device-mapper: reload ioctl on x (253:0) failed: "

static const struct open_row {
	const char *label;
	bool has_signature;
	int result;
	int complaint_errnum; /* 0: it does not complain */
	enum fail_code code;
	const char *words;
} open_rows[] = {
	{ "unsigned", false, 0, 0, FAIL_NONE, NULL },
	{ "signed", true, 0, 0, FAIL_NONE, NULL },
	/* ENOKEY is the only answer that libcryptsetup hands on */
	{ "stranger", true, -ENOKEY, ENOKEY, FAIL_SIGNATURE_REJECTED, "none of the kernel's keys" },
	{ "stranger, no words", true, -ENOKEY, 0, FAIL_SIGNATURE_REJECTED, "none of the kernel's" },
	{ "another hash", true, -EBUSY, EKEYREJECTED, FAIL_SIGNATURE_REJECTED,
	  "another root hash" },
	{ "no message", true, -EBUSY, EBADMSG, FAIL_SIGNATURE_REJECTED, "not a detached PKCS#7" },
	{ "algorithm", true, -EBUSY, ENOPKG, FAIL_SIGNATURE_REJECTED, "lacks an algorithm" },
	{ "demanded", false, -ENOKEY, ENOKEY, FAIL_SIGNATURE_MISSING, "the kernel demands one" },
	/* failures that have nothing to do with a signature */
	{ "in use", true, -EBUSY, EBUSY, FAIL_VERITY_OPEN_FAILED, RELOAD },
	{ "bad table", true, -EBUSY, EINVAL, FAIL_VERITY_OPEN_FAILED, RELOAD },
	{ "no reason", true, -EINVAL, 0, FAIL_VERITY_OPEN_FAILED, "gives no reason" },
	{ "unsigned, refused", false, -EBUSY, EKEYREJECTED, FAIL_VERITY_OPEN_FAILED, RELOAD },
};

static void test_open(void **state)
{
	static const struct verity_parts parts = { .data = "/dev/vda", .hash = "/dev/vdb" };
	static const struct verity_signature signature = { .size = 9 };
	struct verity_params p;

	(void)state;
	verity_params_init(&p);
	p.root_hash_size = 32;
	info_of_device = made_device;
	for (size_t i = 0; i < ARRAY_SIZE(open_rows); i++) {
		const struct open_row *row = &open_rows[i];
		struct verity_device device = { .name = "untouched" };
		struct err e = { 0 };
		char complaint[200], log[200];
		int r;

		snprintf(complaint, sizeof(complaint), RELOAD "%s\n",
			 strerror(row->complaint_errnum));
		crypt.complaint = row->complaint_errnum ? complaint : NULL;
		crypt.result = row->result;
		fake_sys_reset(0, 0);
		r = verity_open("x", &parts, &p, row->has_signature ? &signature : NULL, &device,
				&e);
		snprintf(log, sizeof(log),
			 "init /dev/vdb\nformat\nactivate x hash=32 signature=%s\n",
			 row->has_signature ? "9" : "none 0");
		assert_string_equal(fake_sys.log, log);
		if (row->words)
			expect_failure(row->label, r, &e, row->code, row->words);
		else
			expect_success(row->label, r, &e);
		assert_string_equal(device.name, row->words ? "untouched" : "x");
	}
}

/* What was made is asked for by its name, and taken away again where it is another thing. */
static void test_open_asks_for_the_device(void **state)
{
	static const struct {
		const char *label;
		bool task_fails, info_fails;
		struct dm_info info;
	} rows[] = {
		{ "no answer", true, false, { .exists = 1, .read_only = 1 } },
		{ "no info", false, true, { .exists = 1, .read_only = 1 } },
		{ "none of this name", false, false, { .read_only = 1 } },
		{ "writable", false, false, { .exists = 1 } },
	};
	static const struct verity_parts parts = { .data = "/dev/vda", .hash = "/dev/vdb" };
	struct verity_device device = { .name = "untouched" };
	struct verity_params p;
	struct err e = { 0 };

	(void)state;
	verity_params_init(&p);
	crypt.complaint = NULL;
	crypt.result = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		task_fails = rows[i].task_fails;
		info_fails = rows[i].info_fails;
		info_of_device = rows[i].info;
		fake_sys_reset(0, 0);
		expect_failure(rows[i].label, verity_open("x", &parts, &p, NULL, &device, &e), &e,
			       FAIL_VERITY_OPEN_FAILED, "does not know x, or not as read-only");
		assert_non_null(strstr(fake_sys.log, "\ndeactivate x\n"));
		assert_string_equal(device.name, "untouched");
	}
	task_fails = info_fails = false;
	info_of_device = made_device;
	/* without its devices and its table there is nothing to activate, and nothing to ask for */
	for (unsigned int call = 1; call <= 2; call++) {
		fake_sys_reset(call, EIO);
		expect_failure("call", verity_open("x", &parts, &p, NULL, &device, &e), &e,
			       FAIL_VERITY_OPEN_FAILED, "");
		assert_int_equal(fake_sys.calls, call);
		assert_string_equal(device.name, "untouched");
	}
	fake_sys_reset(0, 0);
	expect_success("good", verity_open("x", &parts, &p, NULL, &device, &e), &e);
	assert_int_equal(device.major, 253);
	assert_int_equal(device.minor, 4);
	assert_string_equal(device.path, "/dev/dm-4");
	assert_null(strstr(fake_sys.log, "deactivate"));
	/* the control node, which is not close-on-exec, is kept until the hand-over */
	assert_int_equal(releases, 0);
	verity_release();
	assert_int_equal(releases, 1);
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
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_open_asks_for_the_device),
		cmocka_unit_test(test_kernel_verifies_signatures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
