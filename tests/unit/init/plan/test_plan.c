// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Command lines and what becomes of them. Each golden/NAME.cmdline has either a
 * golden/NAME.plan, the plan as text, or a golden/NAME.fail, the failure and
 * how it will be told. UPDATE_GOLDEN=1 in the environment writes them again:
 * read the difference before it is committed.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/plan/plan_print.h"
#include "init/plan/dialect.h"
#include "init/plan/plan_layer.h"
#include "lib/io.h"
#include "tests/unit/sealed.h"

#define GOLDEN "tests/unit/golden"

#define HEX16 "0123456789abcdef"
#define HASH  HEX16 HEX16 HEX16 HEX16
#define LAYER "socle.layer=/dev/vda,root_hash=" HASH ",data_blocks=8"

/* As large as PID 1's, so not on the stack. */
static struct boot_plan plan;

static int parse(const char *line, struct err *e)
{
	/* a copy on the heap: a byte behind the text is seen */
	char *text = sealed_line(line);
	int r = plan_parse(text, cmdline_limit(CMDLINE_MACHINE), &plan, e);

	free(text);
	return r;
}

/* --- goldens ------------------------------------------------------------- */

static char *result_text(const char *line, const char **ret_suffix)
{
	static const char *const on_failure[] = { "poweroff", "reboot", "panic", "halt" };
	char report_text[PLAN_PATH_SIZE];
	struct err e = { 0 };
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	int r = parse(line, &e);
	const char *report = plan_report_text(&plan.failure, report_text);

	assert_non_null(to);
	*ret_suffix = r ? "fail" : "plan";
	if (r)
		fprintf(to, "code %s\nvolume %s\ntext %s\non_failure %s\nreport %s\n",
			fail_name(e.code), e.volume[0] ? e.volume : "-", e.text,
			on_failure[plan.failure.how], report ? report : "-");
	else
		plan_print(&plan, to);
	fclose(to);
	return text;
}

static void compare_one(int dir, const char *name)
{
	static char line[CMDLINE_SIZE], expected[65536];
	const char *suffix, *other;
	char path[300], stale[300];
	ssize_t n = io_read_text(dir, name, line, sizeof(line));
	char *text;

	assert_true(n > 0 && line[n - 1] == '\n');
	line[n - 1] = '\0';
	text = result_text(line, &suffix);
	other = *suffix == 'p' ? "fail" : "plan";
	snprintf(path, sizeof(path), "%.*s%s", (int)(strlen(name) - strlen("cmdline")), name,
		 suffix);
	if (getenv("UPDATE_GOLDEN")) {
		put_text(dir, path, text);
		snprintf(stale, sizeof(stale), "%.*s%s", (int)(strlen(name) - strlen("cmdline")),
			 name, other);
		(void)unlinkat(dir, stale, 0);
	}
	n = io_read_text(dir, path, expected, sizeof(expected));
	if (n < 0)
		fail_msg("%s: there is no %s; it is:\n%s", name, path, text);
	if (strcmp(text, expected))
		fail_msg("%s: it is\n%sand not\n%s", name, text, expected);
	strcpy(path + strlen(path) - strlen(suffix), other);
	if (!faccessat(dir, path, F_OK, 0))
		fail_msg("%s: %s is left from before", name, path);
	free(text);
}

static void test_goldens(void **state)
{
	int dir = open(GOLDEN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = dir < 0 ? NULL : fdopendir(dup(dir));
	struct dirent *entry;
	size_t count = 0;

	(void)state;
	if (!list)
		fail_msg("%s: run this from the top of the tree", GOLDEN);
	while ((entry = readdir(list))) {
		const char *suffix = strrchr(entry->d_name, '.');

		if (!suffix || strcmp(suffix, ".cmdline"))
			continue;
		compare_one(dir, entry->d_name);
		count++;
	}
	assert_true(count > 20);
	closedir(list);
	close(dir);
}

/* --- every key, refused --------------------------------------------------- */

static const struct refused_row {
	const char *line;
	enum fail_code code;
	const char *words;
} refused_rows[] = {
	/* keys of ours that are none */
	{ LAYER " socle.", FAIL_KEY_UNKNOWN, "does not know socle." },
	{ LAYER " socle.=1", FAIL_KEY_UNKNOWN, "does not know socle." },
	{ LAYER " socle.layers=1", FAIL_KEY_UNKNOWN, "does not know socle.layers" },
	{ LAYER " socle.laye=1", FAIL_KEY_UNKNOWN, "does not know socle.laye" },
	{ LAYER " socle.on-failure=panic", FAIL_KEY_UNKNOWN, "does not know socle.on-failure" },
	{ LAYER " socle.Agent=/a", FAIL_KEY_UNKNOWN, "does not know socle.Agent" },
	{ LAYER " socle.verity=off", FAIL_KEY_UNKNOWN, "does not know socle.verity" },
	{ LAYER " socle.debug", FAIL_KEY_UNKNOWN, "does not know socle.debug" },
	/* twice */
	{ LAYER " socle.upper=none socle.upper=none", FAIL_KEY_REPEATED,
	  "upper= is specified twice" },
	{ LAYER " socle.agent=/a socle.agent=/a", FAIL_KEY_REPEATED,
	  "socle.agent= is specified twice" },
	{ LAYER " socle.timeout=1 socle.timeout=1", FAIL_KEY_REPEATED, "socle.timeout=" },
	{ LAYER " socle.on_failure=halt socle.on_failure=halt", FAIL_KEY_REPEATED, "on_failure=" },
	{ LAYER " socle.on_corruption=eio socle.on_corruption=eio", FAIL_KEY_REPEATED,
	  "on_corruption=" },
	{ LAYER " socle.report=/dev/a socle.report=/dev/a", FAIL_KEY_REPEATED, "socle.report=" },
	{ LAYER " socle.upper=bad socle.upper=none", FAIL_VALUE_INVALID, "socle.upper=bad" },
	/* no value */
	{ "socle.layer", FAIL_VALUE_INVALID, "socle.layer has no value" },
	{ LAYER " socle.upper", FAIL_VALUE_INVALID, "socle.upper has no value" },
	{ LAYER " socle.agent", FAIL_VALUE_INVALID, "socle.agent has no value" },
	{ LAYER " socle.timeout", FAIL_VALUE_INVALID, "socle.timeout has no value" },
	{ LAYER " socle.on_failure", FAIL_VALUE_INVALID, "socle.on_failure has no value" },
	{ LAYER " socle.on_corruption", FAIL_VALUE_INVALID, "socle.on_corruption has no value" },
	{ LAYER " socle.report", FAIL_VALUE_INVALID, "socle.report has no value" },
	/* upper */
	{ LAYER " socle.upper=", FAIL_VALUE_INVALID, "socle.upper=: expected none, tmpfs" },
	{ LAYER " socle.upper=dir:/scratch", FAIL_VALUE_INVALID,
	  "socle.upper=dir:/scratch: expected none, tmpfs" },
	{ LAYER " socle.upper=disk:", FAIL_VALUE_INVALID, "upper layer \"disk:\" is not" },
	{ LAYER " socle.upper=disk:vdb", FAIL_VALUE_INVALID, "socle.upper=: " },
	{ LAYER " socle.upper=disk:SERIAL=s,integrity", FAIL_VALUE_INVALID, "disk:REFERENCE" },
	{ LAYER " socle.upper=None", FAIL_VALUE_INVALID, "socle.upper=None" },
	{ LAYER " socle.upper=tmpfs,", FAIL_VALUE_INVALID, "socle.upper=tmpfs," },
	{ LAYER " socle.upper=tmpfs,size=", FAIL_VALUE_INVALID, "size=: expected" },
	{ LAYER " socle.upper=tmpfs,size=0", FAIL_VALUE_INVALID, "size=0:" },
	{ LAYER " socle.upper=tmpfs,size=00m", FAIL_VALUE_INVALID, "size=00m:" },
	{ LAYER " socle.upper=tmpfs,size=0%", FAIL_VALUE_INVALID, "size=0%" },
	{ LAYER " socle.upper=tmpfs,size=101%", FAIL_VALUE_INVALID, "size=101%" },
	{ LAYER " socle.upper=tmpfs,size=1%%", FAIL_VALUE_INVALID, "size=1%%" },
	{ LAYER " socle.upper=tmpfs,size=m", FAIL_VALUE_INVALID, "size=m:" },
	{ LAYER " socle.upper=tmpfs,size=1t", FAIL_VALUE_INVALID, "size=1t:" },
	{ LAYER " socle.upper=tmpfs,size=1mb", FAIL_VALUE_INVALID, "size=1mb:" },
	{ LAYER " socle.upper=tmpfs,size=-1m", FAIL_VALUE_INVALID, "size=-1m:" },
	{ LAYER " socle.upper=tmpfs,size=1m,uid=0", FAIL_VALUE_INVALID, "size=1m,uid=0:" },
	{ LAYER " socle.upper=tmpfs,size=12345678901234567890123", FAIL_VALUE_INVALID, "size=123" },
	/* one more than fits into the kernel's 63 bits */
	{ LAYER " socle.upper=tmpfs,size=9223372036854775808", FAIL_VALUE_INVALID, "size=9223" },
	{ LAYER " socle.upper=tmpfs,size=8589934592G", FAIL_VALUE_INVALID, "size=8589934592G:" },
	/* agent */
	{ LAYER " socle.agent=", FAIL_VALUE_INVALID, "an absolute path without . and .." },
	{ LAYER " socle.agent=init", FAIL_VALUE_INVALID, "socle.agent=init" },
	{ LAYER " socle.agent=/", FAIL_VALUE_INVALID, "socle.agent=/:" },
	{ LAYER " socle.agent=/a/", FAIL_VALUE_INVALID, "socle.agent=/a/:" },
	{ LAYER " socle.agent=//a", FAIL_VALUE_INVALID, "socle.agent=//a:" },
	{ LAYER " socle.agent=/a//b", FAIL_VALUE_INVALID, "socle.agent=/a//b:" },
	{ LAYER " socle.agent=/.", FAIL_VALUE_INVALID, "socle.agent=/.:" },
	{ LAYER " socle.agent=/..", FAIL_VALUE_INVALID, "socle.agent=/..:" },
	{ LAYER " socle.agent=/a/./b", FAIL_VALUE_INVALID, "/a/./b:" },
	{ LAYER " socle.agent=/a/../b", FAIL_VALUE_INVALID, "/a/../b:" },
	{ LAYER " socle.agent=/a/..", FAIL_VALUE_INVALID, "/a/..:" },
	{ LAYER " \"socle.agent=/a\nroot none\"", FAIL_VALUE_INVALID, "socle.agent=/a?root none:" },
	/* report */
	{ LAYER " socle.report=", FAIL_VALUE_INVALID, "a character device, /dev/NAME" },
	{ LAYER " socle.report=ttyS1", FAIL_VALUE_INVALID, "socle.report=ttyS1" },
	{ LAYER " socle.report=/dev", FAIL_VALUE_INVALID, "socle.report=/dev:" },
	{ LAYER " socle.report=/dev/", FAIL_VALUE_INVALID, "socle.report=/dev/:" },
	{ LAYER " socle.report=/dev/../etc/passwd", FAIL_VALUE_INVALID, "/dev/../etc" },
	{ LAYER " socle.report=/etc/passwd", FAIL_VALUE_INVALID, "/etc/passwd" },
	{ LAYER " socle.report=vsock:", FAIL_VALUE_INVALID, "or vsock:PORT" },
	{ LAYER " socle.report=vsock:0", FAIL_VALUE_INVALID, "or vsock:PORT, 1 to 4294967294" },
	{ LAYER " socle.report=vsock:4294967295", FAIL_VALUE_INVALID, "vsock:4294967295" },
	{ LAYER " socle.report=vsock:4294967297", FAIL_VALUE_INVALID, "vsock:4294967297" },
	{ LAYER " socle.report=vsock:-1", FAIL_VALUE_INVALID, "vsock:-1" },
	{ LAYER " socle.report=vsock:2:9999", FAIL_VALUE_INVALID, "vsock:2:9999" },
	{ LAYER " socle.report=vsock:/dev/a", FAIL_VALUE_INVALID, "vsock:/dev/a" },
	{ LAYER " socle.report=vsock:9999 socle.report=/dev/a", FAIL_KEY_REPEATED,
	  "socle.report=" },
	/* timeout */
	{ LAYER " socle.timeout=", FAIL_VALUE_INVALID, "seconds, 1 to 3600" },
	{ LAYER " socle.timeout=0", FAIL_VALUE_INVALID, "socle.timeout=0:" },
	{ LAYER " socle.timeout=3601", FAIL_VALUE_INVALID, "socle.timeout=3601:" },
	{ LAYER " socle.timeout=10s", FAIL_VALUE_INVALID, "socle.timeout=10s:" },
	{ LAYER " socle.timeout=-1", FAIL_VALUE_INVALID, "socle.timeout=-1:" },
	{ LAYER " socle.timeout=4294967297", FAIL_VALUE_INVALID, "socle.timeout=4294967297:" },
	/* words of closed lists */
	{ LAYER " socle.volumes=", FAIL_VALUE_INVALID, "socle.volumes=: expected yes or no" },
	{ LAYER " socle.volumes=Yes", FAIL_VALUE_INVALID, "socle.volumes=Yes: expected yes or no" },
	{ LAYER " socle.volumes", FAIL_VALUE_INVALID, "socle.volumes has no value" },
	{ LAYER " socle.volumes=no socle.volumes=yes", FAIL_KEY_REPEATED, "socle.volumes= is" },
	{ LAYER " socle.on_failure=", FAIL_VALUE_INVALID, "poweroff, reboot, panic or halt" },
	{ LAYER " socle.on_failure=shell", FAIL_VALUE_INVALID, "socle.on_failure=shell:" },
	{ LAYER " socle.on_failure=Panic", FAIL_VALUE_INVALID, "socle.on_failure=Panic:" },
	{ LAYER " socle.on_corruption=", FAIL_VALUE_INVALID, "panic, restart or eio" },
	{ LAYER " socle.on_corruption=ignore", FAIL_VALUE_INVALID, "on_corruption=ignore:" },
	/* layers: one without a root hash, in every form */
	{ "socle.layer=/dev/vda", FAIL_ROOT_HASH_MISSING, "no root_hash= is given" },
	{ "socle.layer=/dev/vda,data_blocks=8", FAIL_ROOT_HASH_MISSING, "no root_hash=" },
	{ "socle.layer=/dev/vda,root_hash=,data_blocks=8", FAIL_ROOT_HASH_MISSING, "is empty" },
	{ "socle.layer=/dev/vda,root_hash,data_blocks=8", FAIL_ROOT_HASH_MISSING,
	  "\"root_hash\" in a layer is not key=value" },
	/* too short, twice */
	{ "socle.layer=/dev/vda,root_hash=" HEX16 ",data_blocks=8", FAIL_ROOT_HASH_INVALID,
	  "has 8 bytes, but sha256 has 32" },
	{ LAYER ",root_hash=" HASH, FAIL_KEY_REPEATED,
	  "root_hash= is specified twice in one list" },
	/* one layer of three without */
	{ LAYER " socle.layer=/dev/vdb " LAYER, FAIL_ROOT_HASH_MISSING, "no root_hash=" },
	{ "socle.layer=", FAIL_VALUE_INVALID, "is not a device reference" },
	{ "socle.layer=,root_hash=" HASH ",data_blocks=8", FAIL_VALUE_INVALID, "not a device ref" },
	{ "socle.layer=vda,root_hash=" HASH ",data_blocks=8", FAIL_VALUE_INVALID, "\"vda\" is no" },
	{ LAYER ",", FAIL_VALUE_INVALID, "\"\" in a layer is not key=value" },
	{ LAYER ",,salt=00", FAIL_VALUE_INVALID, "\"\" in a layer" },
	{ LAYER ",ro", FAIL_VALUE_INVALID, "\"ro\" in a layer" },
	{ LAYER ",=1", FAIL_KEY_UNKNOWN, "unknown key \"\" in a layer" },
	{ LAYER ",target=/x", FAIL_KEY_UNKNOWN, "unknown key \"target\"" },
	{ LAYER ",Salt=00", FAIL_KEY_UNKNOWN, "unknown key \"Salt\"" },
	{ LAYER ",fstype=", FAIL_VALUE_INVALID, "the file system  is not one of" },
	{ LAYER ",fstype=vfat", FAIL_VALUE_INVALID, "vfat is not one of" },
	{ LAYER ",fstype=ext4ext4ext4ext4ext4", FAIL_VALUE_INVALID, "system ext4ext4" },
	{ LAYER ",device=/dev/vdb", FAIL_KEY_REPEATED, "device= is specified twice" },
	{ LAYER ",fstype=erofs,fstype=erofs", FAIL_KEY_REPEATED, "fstype= is specified twice" },
	{ LAYER ",hash_device=vdb,hash_start=0", FAIL_VALUE_INVALID, "\"vdb\" is not a device" },
	{ LAYER ",hash_device=/dev/vdb", FAIL_VERITY_PARAMS_INVALID, "no hash_start= is given" },
	{ LAYER ",hash_device=/dev/vdb,hash_device=/dev/vdb", FAIL_KEY_REPEATED, "hash_device=" },
	{ LAYER ",hash_start=0", FAIL_VERITY_PARAMS_INVALID, "is inside the data" },
	{ LAYER ",hash=sha1", FAIL_VERITY_PARAMS_INVALID, "hash=sha1" },
	{ LAYER ",format=2", FAIL_VERITY_PARAMS_INVALID, "format=2" },
	{ LAYER ",data_blocks=8", FAIL_KEY_REPEATED, "data_blocks= is specified twice" },
	{ "socle.layer=/dev/vda,root_hash=" HASH, FAIL_VERITY_PARAMS_INVALID, "no data_blocks=" },
	/* a signature that cannot be used is never none */
	{ LAYER ",signature", FAIL_VALUE_INVALID, "\"signature\" in a layer" },
	{ LAYER ",signature=", FAIL_SIGNATURE_INVALID,
	  "neither /FILE in the initramfs nor base64:" },
	{ LAYER ",signature=base64:", FAIL_SIGNATURE_INVALID, "is empty" },
	{ LAYER ",signature=base64:MAA", FAIL_SIGNATURE_INVALID, "not base64 text" },
	{ LAYER ",signature=/a,signature=/a", FAIL_KEY_REPEATED, "signature= is specified twice" },
	{ "roothash=" HASH " systemd.verity_root_options=root-hash-signature=auto",
	  FAIL_SIGNATURE_INVALID, "neither /FILE" },
	{ "roothash=" HASH " systemd.verity_root_options=root-hash-signature", FAIL_VALUE_INVALID,
	  "root-hash-signature" },
	{ "usrhash=" HASH " systemd.verity_usr_options=root-hash-signature=base64:AAAA",
	  FAIL_SIGNATURE_INVALID, "is not in DER" },
	{ "systemd.verity_root_options=root-hash-signature=/a", FAIL_ROOT_HASH_MISSING,
	  "roothash=" },
	/* a device for the kernel that is none is never no device */
	{ "dm-mod.create=", FAIL_VALUE_INVALID, "dm-mod.create=: it has no value" },
	{ "dm-mod.create", FAIL_VALUE_INVALID, "dm-mod.create=: it has no value" },
	{ "dm-mod.create=\",,,ro,0 8 verity\"", FAIL_VALUE_INVALID, "name is missing or too long" },
	{ "dm-mod.create=\"" HASH HASH ",,,ro,0 8 verity\"", FAIL_VALUE_INVALID,
	  "name is missing or too long" },
	{ LAYER ",fec_device=/dev/vdc", FAIL_VERITY_PARAMS_INVALID, "must be given together" },
	{ LAYER ",fec_roots=2", FAIL_VERITY_PARAMS_INVALID, "must be given together" },
	{ LAYER ",fec_offset=4096", FAIL_VERITY_PARAMS_INVALID, "without fec_roots=" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused_rows); i++) {
		struct err e = { 0 };
		int r = parse(refused_rows[i].line, &e);

		expect_failure(refused_rows[i].line, r, &e, refused_rows[i].code,
			       refused_rows[i].words);
		/* nothing stays behind for the next one */
		expect_success("after it", parse(LAYER " socle.upper=none", &e), &e);
	}
}

/* As long as any line is: a signature stands among systemd's options. */
static void test_systemd_options_length(void **state)
{
	static const char key[] = "roothash=" HASH " systemd.verity_root_options=";
	char line[sizeof(key) + 4096];
	struct err e = { 0 };

	(void)state;
	strcpy(line, key);
	memset(line + strlen(key), ',', 4096);
	line[strlen(key) + 4096] = '\0';
	expect_failure("4096", plan_parse(line, 0, &plan, &e), &e, FAIL_VALUE_INVALID,
		       "systemd.verity_root_options= is limited to 4095 bytes");
	strcpy(line, key);
	memset(line + strlen(key), ',', 4095);
	line[strlen(key) + 4095] = '\0';
	expect_success("4095", plan_parse(line, 0, &plan, &e), &e);
}

/* Lines that name no root: whether that is a failure, the initramfs decides. */
static void test_no_root(void **state)
{
	static const char *const lines[] = {
		"",
		"   ",
		"quiet",
		"-- " LAYER,
		"x=\" " LAYER "\"",
		"Socle.layer=x SOCLE.layer=y xsocle.layer=z",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err e = { 0 };

		expect_success(lines[i], parse(lines[i], &e), &e);
		assert_int_equal(plan.root, PLAN_ROOT_NONE);
		assert_int_equal(plan.layers, 0);
	}
}

/* What the root is once all is known: the agent in the initramfs is never a way out. */
static void test_settle(void **state)
{
	static const struct {
		const char *line;
		bool agent_in_initramfs;
		enum fail_code code; /* FAIL_NONE: settled */
		enum plan_root root;
	} rows[] = {
		{ "", false, FAIL_NO_ROOT, 0 },
		{ "", true, FAIL_NONE, PLAN_ROOT_INITRAMFS },
		{ "root=/dev/vda1", true, FAIL_NONE, PLAN_ROOT_INITRAMFS },
		{ "root=/dev/vda1", false, FAIL_NONE, PLAN_ROOT_LAYERS },
		/* others write there what only their own initramfs knows */
		{ "root=gpt-auto", true, FAIL_NONE, PLAN_ROOT_INITRAMFS },
		{ "root=gpt-auto", false, FAIL_VALUE_INVALID, 0 },
		{ "root=/dev/disk/by-path/pci-0 rw", true, FAIL_NONE, PLAN_ROOT_INITRAMFS },
		{ "root=/dev/disk/by-path/pci-0 rw", false, FAIL_VALUE_INVALID, 0 },
		{ "systemd.volatile=state", true, FAIL_NONE, PLAN_ROOT_INITRAMFS },
		{ "systemd.volatile=yes", false, FAIL_NO_ROOT, 0 },
		{ "usrhash=" HASH, true, FAIL_NO_ROOT, 0 },
		{ "usrhash=" HASH " systemd.volatile=yes", true, FAIL_NONE, PLAN_ROOT_TMPFS },
		{ "roothash=" HASH, true, FAIL_NONE, PLAN_ROOT_LAYERS },
		{ LAYER, true, FAIL_NONE, PLAN_ROOT_LAYERS },
		{ "rootfs_verity.scheme=dm-verity rootfs_verity.hash=" HASH " root=/dev/vda1", true,
		  FAIL_NONE, PLAN_ROOT_LAYERS },
		{ "systemd.volatile=yes " LAYER, false, FAIL_NONE, PLAN_ROOT_TMPFS },
		/* no file of a root that is not there yet, in any dialect */
		{ "root=FILE=/run/one", false, FAIL_VALUE_INVALID, 0 },
		{ "socle.layer=FILE=/run/one,root_hash=" HASH ",data_blocks=8", false,
		  FAIL_VALUE_INVALID, 0 },
		{ "socle.layer=/dev/vda,hash_device=FILE=/run/one,hash_start=1,root_hash=" HASH
		  ",data_blocks=8",
		  false, FAIL_VALUE_INVALID, 0 },
		{ "systemd.volatile=yes " LAYER " " LAYER, false, FAIL_VALUE_INVALID, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r;

		expect_success(rows[i].line, parse(rows[i].line, &e), &e);
		r = plan_settle(&plan, rows[i].agent_in_initramfs, &e);
		if (rows[i].code != FAIL_NONE) {
			expect_failure(rows[i].line, r, &e, rows[i].code, "");
			continue;
		}
		expect_success(rows[i].line, r, &e);
		if (plan.root != rows[i].root)
			fail_msg("%s: root %s", rows[i].line, plan_root_word(plan.root));
		/* the initramfs needs no tmpfs of its own */
		if (plan.root == PLAN_ROOT_INITRAMFS)
			assert_true(!plan.layers && !plan.state_tmpfs);
	}
}

/* Where several things are wrong the first one is told. */
static void test_first_failure_counts(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_failure("first", parse("socle.a=1 socle.layer=/dev/vda socle.timeout=0", &e), &e,
		       FAIL_KEY_UNKNOWN, "does not know socle.a");
	assert_string_equal(e.volume, "");
	memset(&e, 0, sizeof(e));
	expect_failure("second layer", parse(LAYER " socle.layer=/dev/vdb socle.b", &e), &e,
		       FAIL_ROOT_HASH_MISSING, "no root_hash=");
	assert_string_equal(e.volume, "layer-1");
}

/* How a failure is told counts wherever it stands. */
static void test_keys_behind_a_failure_count(void **state)
{
	static const char tail[] = " socle.on_failure=halt socle.report=/dev/ttyS1";
	static const char *const heads[] = { "socle.nonsense", "socle.layer=/dev/vda", LAYER ",x=1",
					     "socle.timeout=0 socle.timeout=0", "roothash=" };
	char line[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		struct err e = { 0 };

		snprintf(line, sizeof(line), "%s%s", heads[i], tail);
		assert_true(parse(line, &e) < 0);
		assert_int_equal(plan.failure.how, PLAN_ON_FAILURE_HALT);
		assert_string_equal(plan.failure.device, "/dev/ttyS1");
		/* and a value that is refused changes nothing */
		snprintf(line, sizeof(line), "%s socle.on_failure=x socle.report=y", heads[i]);
		assert_true(parse(line, &e) < 0);
		assert_int_equal(plan.failure.how, PLAN_ON_FAILURE_POWEROFF);
		assert_string_equal(plan.failure.device, "");
	}
}

/* --- socle.length= ---------------------------------------------------------- */

#define STACK LAYER " " LAYER " socle.upper=none socle.timeout=100"

/* Cut anywhere, in a word or between two, before or behind others' words. */
static void test_cut_anywhere(void **state)
{
	char *whole = sealed_line("quiet " STACK " panic=1");
	size_t mark = strcspn(whole, " "), end = strlen(whole) - strlen(" panic=1");

	(void)state;
	for (size_t length = strlen(whole); length > mark; length--) {
		char *line = strndup(whole, length);
		struct err e = { 0 };
		int r = plan_parse(line, 0, &plan, &e);

		if (length >= end)
			expect_success("behind our words", r, &e);
		else
			expect_failure(whole + length, r, &e, FAIL_CMDLINE_TRUNCATED, "was cut");
		free(line);
	}
	free(whole);
}

static void test_length_key(void **state)
{
	static const struct {
		const char *line;
		enum fail_code code; /* FAIL_NONE: accepted */
		const char *words;
	} rows[] = {
		{ "socle.length=16 socle.timeout=33", FAIL_NONE, "" },
		{ "socle.length=16 \"socle.timeout=33\"", FAIL_NONE, "" },
		{ "socle.length=16 socle.timeout=\"33\"", FAIL_NONE, "" },
		{ "quiet socle.length=16 x=y socle.timeout=33 initrd=initrd", FAIL_NONE, "" },
		{ "socle.timeout=33", FAIL_NONE, "" },
		{ "socle.length=17 socle.timeout=33", FAIL_CMDLINE_TRUNCATED,
		  "16 bytes of the 17" },
		{ "socle.length=0", FAIL_NONE, "" },
		{ "socle.length=16", FAIL_CMDLINE_TRUNCATED, "0 bytes of the 16" },
		{ "socle.length=15 socle.timeout=33", FAIL_VALUE_INVALID, "words have 16 bytes" },
		{ "socle.timeout=33 socle.length=16", FAIL_VALUE_INVALID, "before every other" },
		{ "socle.length=16 socle.length=16 socle.timeout=33", FAIL_KEY_REPEATED, "length" },
		{ "socle.length", FAIL_VALUE_INVALID, "expected bytes" },
		{ "socle.length=", FAIL_VALUE_INVALID, "expected bytes" },
		{ "socle.length=0x10 socle.timeout=33", FAIL_VALUE_INVALID, "expected bytes" },
		{ "socle.length=32768", FAIL_VALUE_INVALID, "0 to 32767" },
		/* not said at all, where there is something to lose */
		{ "socle.timeout=33 socle.upper=none", FAIL_VALUE_INVALID,
		  "there are 2 socle.* words, and no socle.length=32 in front" },
		{ "roothash=" HASH " socle.upper=none", FAIL_NONE, "" },
		/* a cut explains whatever else is then wrong */
		{ "socle.length=22 socle.on_failure=pa", FAIL_CMDLINE_TRUNCATED, "was cut" },
		{ "socle.length=22 socle.on_fail", FAIL_CMDLINE_TRUNCATED, "was cut" },
		/* a boot loader's word makes up for what is lost */
		{ "socle.length=29 socle.agent=\"/usr/bin/agent\" x", FAIL_CMDLINE_TRUNCATED, "" },
		{ "socle.length=26 socle.agent=\"/usr/bin/agent\" x", FAIL_NONE, "" },
		{ "socle.length=26 socle.agent=\"/usr/ initrd=x", FAIL_CMDLINE_TRUNCATED,
		  "inside the quotes of socle.agent" },
		{ "socle.length=26 \"socle.agent=/usr/ initrd=x", FAIL_CMDLINE_TRUNCATED,
		  "inside the quotes of socle.agent" },
		{ "socle.timeout=\"33", FAIL_CMDLINE_TRUNCATED, "inside the quotes" },
		{ "x=\"y z socle.timeout=33", FAIL_NONE, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = strdup(rows[i].line);
		struct err e = { 0 };
		int r = plan_parse(line, 0, &plan, &e);

		if (rows[i].code == FAIL_NONE)
			expect_success(rows[i].line, r, &e);
		else
			expect_failure(rows[i].line, r, &e, rows[i].code, rows[i].words);
		free(line);
	}
}

/* --- limits ---------------------------------------------------------------- */

/* A line of an exact length, with keys at its very end. */
static char *line_of(size_t length)
{
	static const char tail[] = " socle.on_failure=panic";
	char *line = malloc(length + 1);
	size_t used = (size_t)snprintf(line, length,
				       "socle.length=%zu %s pad=", strlen(LAYER) + strlen(tail) - 1,
				       LAYER);

	memset(line + used, 'x', length - used);
	strcpy(line + length - strlen(tail), tail);
	return line;
}

static void test_line_length(void **state)
{
	size_t limit = cmdline_limit(CMDLINE_MACHINE);
	struct err e = { 0 };
	char words[80], *line;

	(void)state;
	if (!limit)
		skip();
	line = line_of(limit - 1);
	expect_success("one byte less than the limit", plan_parse(line, limit, &plan, &e), &e);
	assert_int_equal(plan.failure.how, PLAN_ON_FAILURE_PANIC);
	free(line);
	for (size_t length = limit; length < limit + 3; length++) {
		line = line_of(length);
		snprintf(words, sizeof(words), "%zu bytes and the kernel cuts it at %zu", length,
			 limit);
		expect_failure("cut", plan_parse(line, limit, &plan, &e), &e,
			       FAIL_CMDLINE_TRUNCATED, words);
		assert_int_equal(plan.failure.how, PLAN_ON_FAILURE_PANIC);
		free(line);
	}
}

static struct line_keys keys_of_line;

static int take(const char *key, const char *value, struct err *e)
{
	const struct cmdline_param param = { .key = key, .value = value };

	return dialect_socle.take(&param, &keys_of_line, &plan, e);
}

/* More layers than a line of x86 has room for, so without the line. */
static void test_layer_count(void **state)
{
	static const char layer[] = "SERIAL=x,root_hash=" HASH ",data_blocks=8";
	struct err e = { 0 };

	(void)state;
	plan_init(&plan);
	for (int i = 0; i < LAYERS_MAX; i++)
		expect_success("layer", take("socle.layer", layer, &e), &e);
	assert_int_equal(plan.layers, 127);
	assert_string_equal(plan.layer[0].name, "layer-0");
	assert_string_equal(plan.layer[126].name, "layer-126");
	expect_failure("128", take("socle.layer", layer, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 127 layers");
	assert_int_equal(plan.layers, 127);
	expect_success("finish", dialect_socle.finish(&keys_of_line, &plan, &e), &e);
}

/* 80 signatures of 4096 bytes are what a plan holds, and a refused one takes no room. */
static void test_signatures_together(void **state)
{
	static char text[8192] = "base64:";
	struct err e = { 0 };

	(void)state;
	memset(text + 7, 'M', 4096 / 3 * 4);
	strcat(text, "MA==");
	plan_init(&plan);
	for (int i = 0; i < 80; i++)
		expect_success("80", layer_set(&plan, &plan.layer[i], "signature", text, &e), &e);
	expect_failure("81", layer_set(&plan, &plan.layer[80], "signature", "/a", &e), &e,
		       FAIL_LIMIT_EXCEEDED, "together have more than 327680 bytes");
	assert_int_equal(plan.signatures_used, 80 * 4096);
	assert_false(verity_signature_asked(&plan.layer[80].signature));
}

static void test_layer_length(void **state)
{
	static const char start[] = "SERIAL=x,root_hash=" HASH ",data_blocks=8,", zeros[] = "salt=";
	char text[2049];
	struct err e = { 0 };

	(void)state;
	for (size_t length = 2047; length <= 2048; length++) {
		plan_init(&plan);
		memset(text, '0', length);
		memcpy(text, start, strlen(start));
		memcpy(text + strlen(start), zeros, strlen(zeros));
		text[length] = '\0';
		/* at the limit it is the salt that is too long, beyond it the layer */
		if (length == 2047)
			expect_failure("2047", take("socle.layer", text, &e), &e,
				       FAIL_VERITY_PARAMS_INVALID, "salt= must be");
		else
			expect_failure("2048", take("socle.layer", text, &e), &e,
				       FAIL_LIMIT_EXCEEDED, "more than 2047 bytes");
	}
}

static void test_path_lengths(void **state)
{
	static const char *const keys[] = { "socle.agent", "socle.report" };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (size_t length = PLAN_PATH_SIZE - 2; length <= PLAN_PATH_SIZE + 1; length++) {
			char path[PLAN_PATH_SIZE + 2];

			plan_init(&plan);
			memset(path, 'x', length);
			memcpy(path, "/dev/", 5);
			path[length] = '\0';
			if (length < PLAN_PATH_SIZE)
				expect_success(keys[i], take(keys[i], path, &e), &e);
			else
				expect_failure(keys[i], take(keys[i], path, &e), &e,
					       FAIL_VALUE_INVALID, keys[i]);
		}
	assert_true(PLAN_PATH_SIZE == 256);
}

static void test_numbers_at_their_limits(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("1", parse(LAYER " socle.timeout=1", &e), &e);
	assert_int_equal(plan.timeout_s, 1);
	expect_success("3600", parse(LAYER " socle.timeout=3600", &e), &e);
	assert_int_equal(plan.timeout_s, 3600);
	expect_success("100%", parse(LAYER " socle.upper=tmpfs,size=100%", &e), &e);
	assert_string_equal(plan.upper.size, "100%");
	expect_success("63 bits", parse(LAYER " socle.upper=tmpfs,size=9223372036854775807", &e),
		       &e);
	assert_string_equal(plan.upper.size, "9223372036854775807");
	expect_success("g", parse(LAYER " socle.upper=tmpfs,size=8589934591g", &e), &e);
}

/* Bytes of others' parameters mean nothing here. */
static void test_foreign_bytes(void **state)
{
	static const char before[] = LAYER " x=", after[] = " socle.timeout=9";
	char line[sizeof(before) + sizeof(after) + 2];
	struct err e = { 0 };

	(void)state;
	for (unsigned int byte = 1; byte < 256; byte++) {
		snprintf(line, sizeof(line), "%sa%cb%s", before, (int)byte, after);
		expect_success(line, parse(line, &e), &e);
		assert_int_equal(plan.layers, 1);
		/* but a quote that nothing closes swallows what follows, as for the kernel */
		assert_int_equal(plan.timeout_s, byte == '"' ? 10 : 9);
	}
}

/* What the dialects see of one line is not in another's: taken word by word in turns. */
static void test_two_lines_at_once(void **state)
{
	static const struct cmdline_param words[] = {
		{ .key = "roothash", .value = HASH },
		{ .key = "usrhash", .value = HASH },
		{ .key = "systemd.verity_root_data", .value = "/dev/vda" },
		{ .key = "systemd.verity_usr_data", .value = "/dev/vdb" },
	};
	static struct line_keys lines[2];
	static struct boot_plan plans[2];
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		plan_init(&plans[i]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		expect_success(words[i].key,
			       dialect_systemd.take(&words[i], &lines[i % 2], &plans[i % 2], &e),
			       &e);
	for (size_t i = 0; i < 2; i++)
		expect_success("finish", dialect_systemd.finish(&lines[i], &plans[i], &e), &e);
	assert_int_equal(plans[0].layers, 1);
	assert_false(plans[0].has_usr);
	assert_string_equal(plans[0].layer[0].data.value, "vda");
	assert_int_equal(plans[1].layers, 0);
	assert_true(plans[1].has_usr);
	assert_string_equal(plans[1].usr.data.value, "vdb");
}

static void test_defaults(void **state)
{
	struct boot_plan *p = &plan;

	(void)state;
	memset(p, 0xff, sizeof(*p));
	plan_init(p);
	assert_int_equal(p->layers, 0);
	assert_int_equal(p->upper.kind, UPPER_TMPFS);
	assert_string_equal(p->upper.size, "");
	assert_string_equal(p->agent, "/sbin/init");
	assert_int_equal(p->timeout_s, 10);
	assert_int_equal(p->failure.how, PLAN_ON_FAILURE_POWEROFF);
	assert_int_equal(p->on_corruption, VERITY_ON_CORRUPTION_PANIC);
	assert_string_equal(p->failure.device, "");
	assert_int_equal(p->failure.vsock_port, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goldens),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_systemd_options_length),
		cmocka_unit_test(test_no_root),
		cmocka_unit_test(test_settle),
		cmocka_unit_test(test_first_failure_counts),
		cmocka_unit_test(test_keys_behind_a_failure_count),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_length_key),
		cmocka_unit_test(test_line_length),
		cmocka_unit_test(test_layer_count),
		cmocka_unit_test(test_signatures_together),
		cmocka_unit_test(test_layer_length),
		cmocka_unit_test(test_path_lengths),
		cmocka_unit_test(test_numbers_at_their_limits),
		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_two_lines_at_once),
		cmocka_unit_test(test_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
