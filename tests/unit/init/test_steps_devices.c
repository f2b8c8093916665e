// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Which devices are waited for, and the manifest that is read from one. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/sha256.h"
#include "tests/unit/fake_boot.h"
#include "tests/unit/fake_verity.h"
#include "verity/device.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MANIFEST                                                                                   \
	"{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"root_hash\":\"" HASH                \
	"\",\"data_blocks\":8}]}"

/* --- the doubles: what is searched for, and what a disk holds ---------------------- */

static struct {
	int open_r, wait_r;
	size_t count;
	int timeout_ms;
	const struct devref *first;
	unsigned int closed;
	uint64_t disk_bytes;
	const char *path; /* of the disk */
} fake;

int device_search_open(struct device_search *s, struct err *e)
{
	s->dev = 99;
	return fake.open_r ? err_set(e, FAIL_SYSTEM_CALL_FAILED, -fake.open_r, "open") : 0;
}

void device_search_close(struct device_search *s)
{
	(void)s;
	fake.closed++;
}

int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e)
{
	(void)s;
	fake.count = count;
	fake.timeout_ms = timeout_ms;
	fake.first = wishes[0].ref;
	strcpy(wishes[0].found.name, "vdm");
	wishes[0].found.size_bytes = fake.disk_bytes;
	return fake.wait_r ? err_set(e, FAIL_DEVICE_NOT_FOUND, -fake.wait_r, "wait") : 0;
}

int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	int fd = open(fake.path, O_RDONLY | O_CLOEXEC);

	(void)major;
	(void)minor;
	assert_int_equal(dev, 99);
	assert_string_equal(name, "vdm");
	return fd < 0 ? err_errno(e, FAIL_DEVICE_READ_FAILED, "open") : fd;
}

/* --- devices ----------------------------------------------------------------------- */

static void make_plan(void)
{
	memset(&fake, 0, sizeof(fake));
	make_boot(2, UPPER_TMPFS, false);
	boot.plan.timeout_s = 7;
	boot.plan.layer[0].hash = (struct devref){ .kind = DEVREF_SERIAL, .value = "tree" };
	boot.plan.extensions = 1;
	volume_init(&boot.plan.extension[0], "extension-coco", "extension-coco");
	boot.plan.extension[0].proof = VOLUME_RAW;
	boot.plan.extension[0].data =
		(struct devref){ .kind = DEVREF_PATH, .value = "vdx", .partition = 1 };
	/* its disk has a second partition, as one with a hash tree has */
	boot.search.set.count = 2;
	strcpy(boot.search.set.dev[0].name, "vdx");
	strcpy(boot.search.set.dev[1].name, "vdx2");
	strcpy(boot.search.set.dev[1].disk, "vdx");
	boot.search.set.dev[1].partition = 2;
}

/* One more, behind all others, and on none of their disks. */
static void test_scratch_disk(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_plan();
	boot.search.set.count = 0;
	boot.plan.upper.kind = UPPER_DISK;
	strcpy(boot.wishes[4].found.name, "vdn");
	expect_success("devices", step_devices(&boot, &e), &e);
	assert_int_equal(fake.count, 5);
	assert_ptr_equal(boot.wishes[4].ref, &boot.plan.upper.disk);
	assert_string_equal(boot.wishes[4].volume, "upper");
	assert_ptr_equal(boot.scratch_wish, &boot.wishes[4]);
	make_plan();
	boot.search.set.count = 0;
	boot.plan.upper.kind = UPPER_DISK;
	strcpy(boot.wishes[4].found.name, "vdm2");
	strcpy(boot.wishes[4].found.disk, "vdm");
	expect_failure("shared", step_devices(&boot, &e), &e, FAIL_SCRATCH_FAILED,
		       "the scratch disk vdm2 is also where layer-0 is");
	assert_string_equal(e.volume, "upper");
}

static void test_all_are_waited_for(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_plan();
	boot.search.set.count = 0;
	expect_success("devices", step_devices(&boot, &e), &e);
	assert_int_equal(fake.count, 4);
	assert_int_equal(fake.timeout_ms, 7000);
	assert_ptr_equal(boot.wishes[0].ref, &boot.plan.layer[0].data);
	assert_ptr_equal(boot.wishes[1].ref, &boot.plan.layer[0].hash);
	assert_ptr_equal(boot.wishes[2].ref, &boot.plan.layer[1].data);
	assert_ptr_equal(boot.wishes[3].ref, &boot.plan.extension[0].data);
	assert_int_equal(boot.first_wish[0], 0);
	assert_int_equal(boot.first_wish[1], 2);
	assert_int_equal(boot.first_wish[2], 3);
	make_plan();
	fake.open_r = -EMFILE;
	assert_int_equal(step_devices(&boot, &e), -EMFILE);
	assert_int_equal(fake.count, 0);
	make_plan();
	fake.wait_r = -ENODEV;
	expect_failure("wait", step_devices(&boot, &e), &e, FAIL_DEVICE_NOT_FOUND, "wait");
}

/* A tree that the host put beside an extension, and that the command line does not know. */
static void test_unused_tree(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_plan();
	expect_failure("unused", step_devices(&boot, &e), &e, FAIL_ROOT_HASH_MISSING,
		       "vdx has a hash partition, but the command line has no parameters");
	assert_string_equal(e.volume, "extension-coco");
	make_plan();
	boot.plan.extension[0].proof = VOLUME_VERITY;
	expect_success("used", step_devices(&boot, &e), &e);
	make_plan();
	boot.plan.extension[0].data.partition = 3;
	expect_success("another partition", step_devices(&boot, &e), &e);
	make_plan();
	boot.search.set.dev[1].partition = 3;
	expect_success("no tree", step_devices(&boot, &e), &e);
}

/* --- the manifest ------------------------------------------------------------------ */

static uint64_t said_bytes;

static void fill_disk(int dir)
{
	char disk[4096] = MANIFEST;

	put_bytes(dir, "disk", disk, said_bytes > sizeof(MANIFEST) ? 100 : sizeof(disk));
}

static void make_manifest(void)
{
	memset(&fake, 0, sizeof(fake));
	make_boot(0, UPPER_NONE, false);
	boot.plan.root = PLAN_ROOT_NONE;
	boot.plan.timeout_s = 3;
	fake.path = "/disk";
	fake.disk_bytes = 4096;
	said_bytes = strlen(MANIFEST);
	boot.plan.manifest = (struct plan_manifest){
		.device = { .kind = DEVREF_SERIAL, .value = "m" },
		.size_bytes = said_bytes,
		.digest_size = SHA256_SIZE,
	};
	sha256(MANIFEST, said_bytes, boot.plan.manifest.sha256);
}

static struct {
	size_t layers, count;
	int timeout_ms;
	unsigned int closed;
} * seen;

static int step_and_look(struct boot *b, struct err *e)
{
	int lowest = dup(STDERR_FILENO), r = step_manifest(b, e);

	seen->layers = b->plan.layers;
	seen->count = fake.count;
	seen->timeout_ms = fake.timeout_ms;
	seen->closed = fake.closed;
	/* the disk does not stay open */
	return dup(STDERR_FILENO) == lowest + 1 ? r : 1;
}

static const struct step_result *run(void)
{
	if (!seen)
		seen = shared_memory(sizeof(*seen));
	memset(seen, 0, sizeof(*seen));
	return run_step_in_root(step_and_look, fill_disk);
}

static void test_manifest(void **state)
{
	const struct step_result *result;

	(void)state;
	make_manifest();
	result = run();
	expect_success("manifest", result->r, &result->e);
	assert_int_equal(seen->layers, 1);
	assert_int_equal(seen->count, 1);
	assert_int_equal(seen->timeout_ms, 3000);
	assert_int_equal(seen->closed, 1);
	make_manifest();
	boot.plan.manifest.digest_size = 0;
	fake.open_r = -EIO;
	result = run();
	expect_success("none is asked for", result->r, &result->e);
	assert_int_equal(seen->layers, 0);
}

static void expect_refused(const char *label, enum fail_code code, const char *words)
{
	const struct step_result *result = run();

	expect_failure(label, result->r, &result->e, code, words);
	assert_int_equal(seen->layers, 0);
}

static void test_manifest_refused(void **state)
{
	(void)state;
	make_manifest();
	boot.plan.manifest.sha256[1] ^= 1;
	expect_refused("digest", FAIL_MANIFEST_MISMATCH, "another SHA-256");
	make_manifest();
	fake.disk_bytes = said_bytes - 1;
	expect_refused("small", FAIL_DEVICE_TOO_SMALL, "SERIAL=m has");
	make_manifest();
	said_bytes = boot.plan.manifest.size_bytes = 300;
	expect_refused("cut", FAIL_DEVICE_READ_FAILED, "read the manifest from vdm: ");
	make_manifest();
	fake.path = "/";
	expect_refused("read", FAIL_DEVICE_READ_FAILED, "from vdm: Is a directory");
	make_manifest();
	fake.path = "/nothing";
	expect_refused("open", FAIL_DEVICE_READ_FAILED, "open");
	make_manifest();
	fake.open_r = -EMFILE;
	expect_refused("search", FAIL_SYSTEM_CALL_FAILED, "open");
	assert_int_equal(seen->closed, 0);
	make_manifest();
	fake.wait_r = -ENODEV;
	expect_refused("wait", FAIL_DEVICE_NOT_FOUND, "wait");
	assert_int_equal(seen->closed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_waited_for), cmocka_unit_test(test_scratch_disk),
		cmocka_unit_test(test_unused_tree),        cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_manifest_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
