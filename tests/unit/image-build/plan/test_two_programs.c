// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * What socle-init refuses and what socle-image says of it beforehand: the same
 * step, volume, code and words for every row. The guest's steps run in a root of
 * their own, whose only disk is a file.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/plan/plan_files.h"
#include "init/plan/cmdline.h"
#include "init/steps.h"
#include "lib/hex.h"
#include "tests/unit/fake_boot.h"

/* The step that reads a disk, with a file in that one's place. */
static int find_nothing(struct device_search *s, struct err *e);
static int find_disk(struct device_search *s, struct device_wish *wishes, size_t count,
		     int timeout_ms, struct err *e);
static int open_disk(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e);

#define device_search_open find_nothing
#define device_search_wait find_disk
#define device_node_open   open_disk
#include "init/step_manifest.c"

#define DISK_FILE "/disk"

static int find_nothing(struct device_search *s, struct err *e)
{
	(void)e;
	s->sysfs = s->dev = s->uevents = -1;
	return 0;
}

static int find_disk(struct device_search *s, struct device_wish *wishes, size_t count,
		     int timeout_ms, struct err *e)
{
	struct stat st;

	(void)s;
	(void)timeout_ms;
	if (count != 1 || stat(DISK_FILE, &st))
		return err_set(e, FAIL_DEVICE_NOT_FOUND, ENODEV, "no disk");
	strcpy(wishes->found.name, "vda");
	/* A disk ends with a whole sector. */
	wishes->found.size_bytes = (uint64_t)(st.st_size + 511) / 512 * 512;
	return truncate(DISK_FILE, (off_t)wishes->found.size_bytes) ? -errno : 0;
}

static int open_disk(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	int fd = open(DISK_FILE, O_RDONLY | O_CLOEXEC);

	(void)dev;
	(void)name;
	(void)major;
	(void)minor;
	return fd < 0 ? err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open the disk") : fd;
}

#define H64   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LAYER "socle.layer=SERIAL=a,root_hash=" H64 ",data_blocks=9"
#define RAW   "root=/dev/vda rootfstype=ext4"
/* Its length and its hash go into the line where that says DISK. */
#define DISK "@"
#define GOOD                                                                                       \
	"{\"version\":1,\"layers\":[{\"device\":\"SERIAL=a\",\"root_hash\":\"" H64                 \
	"\",\"data_blocks\":9}]}"

static const struct row {
	const char *label, *line, *policy, *packed, *disk; /* texts; NULL: none */
	const char *step;                                  /* NULL: both accept it */
	enum fail_code code;
} rows[] = {
	{ "layer", LAYER, NULL, NULL, NULL, NULL, 0 },
	{ "no root", "quiet", NULL, NULL, NULL, "plan", FAIL_NO_ROOT },
	{ "unknown key", "socle.no=1", NULL, NULL, NULL, "plan", FAIL_KEY_UNKNOWN },
	{ "of a layer", "socle.layer=SERIAL=a,root_hash=12", NULL, NULL, NULL, "plan",
	  FAIL_ROOT_HASH_INVALID },
	{ "policy", RAW, NULL, NULL, NULL, "plan", FAIL_POLICY_REFUSED },
	{ "policy allows", RAW, "verity=optional\n", NULL, NULL, NULL, 0 },
	{ "bad policy", LAYER, "verity=no\n", NULL, NULL, "plan", FAIL_VALUE_INVALID },
	{ "packed", "quiet", NULL, GOOD, NULL, NULL, 0 },
	{ "packed, bad", "quiet", NULL, "{}", NULL, "plan", FAIL_VALUE_INVALID },
	{ "packed, policy", "quiet", "signature=required\n", GOOD, NULL, "plan",
	  FAIL_POLICY_REFUSED },
	{ "packed and a root", LAYER, NULL, GOOD, NULL, "plan", FAIL_ROOT_AMBIGUOUS },
	{ "packed and on a disk", DISK, NULL, GOOD, NULL, "plan", FAIL_ROOT_AMBIGUOUS },
	{ "on a disk", DISK, NULL, NULL, GOOD, NULL, 0 },
	{ "on a larger disk", DISK, NULL, NULL, GOOD "\n\n", NULL, 0 },
	{ "on a disk, another", "socle.manifest=SERIAL=m,size=9,sha256=" H64, NULL, NULL, GOOD,
	  "manifest", FAIL_MANIFEST_MISMATCH },
	{ "on a disk that is too small", "socle.manifest=SERIAL=m,size=513,sha256=" H64, NULL, NULL,
	  GOOD, "manifest", FAIL_DEVICE_TOO_SMALL },
	{ "on a disk, bad", DISK, NULL, NULL, "{\"version\":2}", "manifest", FAIL_VALUE_INVALID },
	{ "on a disk, of a layer", DISK, NULL, NULL,
	  "{\"version\":1,\"layers\":[{\"device\":\"SERIAL=a\"}]}", "manifest",
	  FAIL_ROOT_HASH_MISSING },
	{ "on a disk, no root", DISK, NULL, NULL, "{\"version\":1}", "manifest", FAIL_NO_ROOT },
	{ "on a disk, policy", DISK, "signature=required\n", NULL, GOOD, "manifest",
	  FAIL_POLICY_REFUSED },
	{ "line before disk", DISK " socle.no=1", NULL, NULL, "{}", "plan", FAIL_KEY_UNKNOWN },
	{ "policy before disk", DISK, "no=1\n", NULL, "{}", "plan", FAIL_KEY_UNKNOWN },
};

static const struct row *row;
static char line[CMDLINE_SIZE];

/* The manifest is the disk's text, without the newlines behind it. */
static void fill_line(void)
{
	uint8_t digest[32];
	char hex[65];
	size_t size;

	if (row->line[0] != DISK[0]) {
		strcpy(line, row->line);
		return;
	}
	size = row->disk ? strcspn(row->disk, "\n") : 9;
	SHA256((const uint8_t *)(row->disk ? row->disk : "x"), row->disk ? size : 1, digest);
	hex_encode(digest, sizeof(digest), hex);
	snprintf(line, sizeof(line), "socle.manifest=SERIAL=m,size=%zu,sha256=%s%s", size, hex,
		 row->line + 1);
}

static void fill_root(int dir)
{
	put_text(dir, "proc/cmdline", line);
	if (row->policy)
		put_text(dir, "etc/socle/policy", row->policy);
	if (row->packed)
		put_text(dir, "etc/socle/manifest.json", row->packed);
	if (row->disk)
		put_text(dir, "disk", row->disk);
}

/* In the order of main(). They run in another process, which leaves the plan's agent behind. */
static int run_steps(struct boot *b, struct err *e)
{
	int r = step_plan(b, e);

	if (!r) {
		r = step_manifest(b, e);
		strcpy(b->plan.agent, "manifest");
	} else {
		strcpy(b->plan.agent, "plan");
	}
	return r;
}

static const char *put_input(const struct temp *t, const char *name, const char *text, char *path,
			     size_t size)
{
	if (!text)
		return NULL;
	put_text(t->fd, name, text);
	snprintf(path, size, "%s/%s", t->path, name);
	return path;
}

static int run_host(struct plan_progress *progress, struct err *e)
{
	static struct boot_plan plan;
	char policy[128], manifest[128];
	struct temp t;
	struct tree packed;
	struct plan_inputs in = { .cmdline = line };
	int r;

	temp_make(&t);
	tree_init(&packed);
	in.initramfs = row->packed ? &packed : NULL;
	in.policy = put_input(&t, "policy", row->policy, policy, sizeof(policy));
	in.manifest = put_input(&t, "manifest", row->packed ? row->packed : row->disk, manifest,
				sizeof(manifest));
	r = plan_from_files(&in, &plan, progress, e);
	tree_free(&packed);
	temp_remove(&t);
	return r;
}

static void test_same_line(void **state)
{
	(void)state;
	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		struct plan_progress progress = { .step = NULL };
		const struct step_result *guest;
		struct err host = { .text = "" };
		int r;

		fill_line();
		memset(&boot, 0, sizeof(boot));
		guest = run_step_in_root(run_steps, fill_root);
		r = run_host(&progress, &host);
		if (!row->step) {
			expect_success(row->label, guest->r, &guest->e);
			expect_success(row->label, r, &host);
			assert_true(progress.whole);
			continue;
		}
		expect_failure(row->label, guest->r, &guest->e, row->code, "");
		expect_failure(row->label, r, &host, row->code, guest->e.text);
		assert_string_equal(host.text, guest->e.text);
		assert_string_equal(host.volume, guest->e.volume);
		assert_string_equal(guest->agent, row->step);
		assert_string_equal(progress.step, row->step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
