// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* link: fake_sys */
/*
 * What verity/ says to device-mapper and makes of its answers: checking,
 * diagnosing, arming, and asking for the kernel's features. The library's
 * functions are defined here and win over the real ones.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/unit/fake_sys.h"
#include "verity/adopt.h"
#include "verity/arm.h"
#include "verity/check.h"
#include "verity/kernel.h"

/* --- a device-mapper with one device ---------------------------------------------- */

struct dm_task {
	int type;
	int errnum; /* of a task that failed */
	char line[4096];
};

static struct {
	const char *type;    /* of the device's target */
	char table[4096];
	const char *status;  /* "V", "C" */
	const char *refused; /* a word that the kernel does not know, or NULL */
	const char *targets; /* "verity", or another one */
} dm;

static size_t tasks; /* that were made and not destroyed */

struct dm_task *dm_task_create(int type)
{
	struct dm_task *task = calloc(1, sizeof(*task));

	task->type = type;
	tasks++;
	return task;
}

void dm_task_destroy(struct dm_task *task)
{
	tasks--;
	free(task);
}

int dm_task_get_errno(struct dm_task *task)
{
	return task->errnum;
}

void dm_log_with_errno_init(dm_log_with_errno_fn fn)
{
	(void)fn;
}

int dm_task_set_name(struct dm_task *task, const char *name)
{
	(void)task;
	assert_string_equal(name, "socle-layer-0");
	return 1;
}

int dm_task_no_open_count(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_set_ro(struct dm_task *task)
{
	(void)task;
	return !fake_sys_call("ro\n");
}

int dm_task_skip_lockfs(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_no_flush(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_add_target(struct dm_task *task, uint64_t start, uint64_t size, const char *type,
		       const char *params)
{
	assert_int_equal(start, 0);
	assert_int_equal(size, 4096);
	assert_string_equal(type, "verity");
	snprintf(task->line, sizeof(task->line), "%s", params);
	return 1;
}

int dm_task_run(struct dm_task *task)
{
	switch (task->type) {
	case DM_DEVICE_TABLE:
		snprintf(task->line, sizeof(task->line), "%s", dm.table);
		return !fake_sys_call("table\n");
	case DM_DEVICE_STATUS:
		snprintf(task->line, sizeof(task->line), "%s", dm.status);
		return !fake_sys_call("status\n");
	case DM_DEVICE_RELOAD:
		task->errnum = EIO;
		if (fake_sys_call("reload %s\n", task->line))
			return 0;
		task->errnum = EINVAL;
		return !dm.refused || !strstr(task->line, dm.refused);
	case DM_DEVICE_RESUME:
		return !fake_sys_call("resume\n");
	default:
		return !fake_sys_call("task %d\n", task->type);
	}
}

void *dm_get_next_target(struct dm_task *task, void *next, uint64_t *start, uint64_t *length,
			 char **target_type, char **params)
{
	(void)next;
	*start = 0;
	*length = 4096;
	*target_type = (char *)(uintptr_t)dm.type;
	*params = task->line;
	return NULL;
}

/* Two targets, as the kernel's list has them: one behind the other. */
struct dm_versions *dm_task_get_versions(struct dm_task *task)
{
	static _Alignas(struct dm_versions) char list[2][32];
	struct dm_versions *first = (void *)list[0], *second = (void *)list[1];

	(void)task;
	first->next = sizeof(list[0]);
	strcpy(list[0] + offsetof(struct dm_versions, name), "linear");
	second->next = 0;
	strcpy(list[1] + offsetof(struct dm_versions, name), dm.targets);
	return first;
}

#define LINE "1 254:0 254:0 4096 4096 8 9 sha256 00ff -"

static int uevents, kernel;

static const struct verity_device *reset(unsigned int fail_call)
{
	static const struct verity_device device = {
		.name = "socle-layer-0", .major = 253, .minor = 7, .path = "/dev/dm-7",
	};

	fake_sys_reset(fail_call, EIO);
	memset(&dm, 0, sizeof(dm));
	dm.type = "verity";
	dm.status = "V";
	dm.targets = "verity";
	strcpy(dm.table, LINE);
	return &device;
}

/* --- the corruption policy ---------------------------------------------------------- */

#define RELOAD "ro\nreload " LINE

/* The policy covers I/O errors where the kernel can do that, and is never lost. */
static const struct arm_row {
	const char *label;
	enum verity_corruption policy;
	const char *refused;
	unsigned int fail_call;
	int result;
	const char *log;
} arm_rows[] = {
	{ "eio", VERITY_ON_CORRUPTION_EIO, NULL, 0, 0, "table\n" },
	{ "panic", VERITY_ON_CORRUPTION_PANIC, NULL, 0, 0,
	  "table\n" RELOAD " 2 panic_on_corruption panic_on_error\nresume\n" },
	{ "panic, before 6.12", VERITY_ON_CORRUPTION_PANIC, "panic_on_error", 0, 0,
	  "table\n" RELOAD " 2 panic_on_corruption panic_on_error\n"
	  RELOAD " 1 panic_on_corruption\nresume\n" },
	{ "restart", VERITY_ON_CORRUPTION_RESTART, NULL, 0, 0,
	  "table\n" RELOAD " 2 restart_on_corruption restart_on_error\nresume\n" },
	{ "restart, before 6.12", VERITY_ON_CORRUPTION_RESTART, "restart_on_error", 0, 0,
	  "table\n" RELOAD " 2 restart_on_corruption restart_on_error\n"
	  RELOAD " 1 restart_on_corruption\nresume\n" },
	{ "no policy at all", VERITY_ON_CORRUPTION_PANIC, "panic_on_corruption", 0, -EINVAL,
	  "table\n" RELOAD " 2 panic_on_corruption panic_on_error\n"
	  RELOAD " 1 panic_on_corruption\n" },
	{ "no table", VERITY_ON_CORRUPTION_PANIC, NULL, 1, -ENODEV, "table\n" },
	/* only a word that the kernel does not know leads to the weaker table */
	{ "not read-only", VERITY_ON_CORRUPTION_PANIC, NULL, 2, -ENOMEM, "table\nro\n" },
	{ "reload fails", VERITY_ON_CORRUPTION_PANIC, NULL, 3, -EIO,
	  "table\n" RELOAD " 2 panic_on_corruption panic_on_error\n" },
	{ "resume fails", VERITY_ON_CORRUPTION_PANIC, NULL, 4, -EIO,
	  "table\n" RELOAD " 2 panic_on_corruption panic_on_error\nresume\n" },
};

static void test_arm(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(arm_rows); i++) {
		const struct arm_row *row = &arm_rows[i];
		const struct verity_device *device = reset(row->fail_call);
		struct err e = { 0 };
		int r;

		dm.refused = row->refused;
		r = verity_arm(device, row->policy, NULL, &e);
		assert_string_equal(fake_sys.log, row->log);
		assert_int_equal(tasks, 0);
		if (row->result)
			expect_failure(row->label, r, &e, FAIL_VERITY_OPEN_FAILED, "socle-layer-0");
		else
			expect_success(row->label, r, &e);
		assert_int_equal(r, row->result);
	}
}

/* A table that cannot be taken into effect is a failure. */
static void test_arm_without_resume(void **state)
{
	const struct verity_device *device = reset(4);
	struct err e = { 0 };

	(void)state;
	dm.refused = "1 panic_on_corruption";
	expect_failure("resume", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "does not take the corruption policy");
}

static void test_arm_of_other_tables(void **state)
{
	const struct verity_device *device = reset(0);
	struct err e = { 0 };

	(void)state;
	strcpy(dm.table, LINE " 8 use_fec_from_device 254:16 fec_blocks 9 fec_start 0 fec_roots 2");
	expect_success("fec", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e);
	assert_non_null(strstr(fake_sys.log, LINE " 10 use_fec_from_device 254:16 fec_blocks 9 "
			       "fec_start 0 fec_roots 2 panic_on_corruption panic_on_error\n"));
	device = reset(0);
	dm.type = "linear";
	expect_failure("linear", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "cannot be read back");
	device = reset(0);
	memset(dm.table, 'x', sizeof(dm.table) - 1);
	expect_failure("long", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "cannot be read back");
	device = reset(0);
	strcpy(dm.table, "1 2 3");
	expect_failure("short", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "does not take the corruption policy");
	assert_int_equal(tasks, 0);
}

/* Whatever policy a device came with, it gets the one that the plan asks for. */
static void test_arm_of_an_adopted_device(void **state)
{
	static const struct {
		const char *options;
		enum verity_corruption policy;
		const char *then; /* NULL: nothing need be loaded */
	} rows[] = {
		{ " 1 panic_on_corruption", VERITY_ON_CORRUPTION_PANIC,
		  " 2 panic_on_corruption panic_on_error" },
		{ " 2 panic_on_corruption panic_on_error", VERITY_ON_CORRUPTION_PANIC, NULL },
		{ " 1 restart_on_corruption", VERITY_ON_CORRUPTION_PANIC,
		  " 2 panic_on_corruption panic_on_error" },
		{ " 2 ignore_zero_blocks restart_on_corruption", VERITY_ON_CORRUPTION_RESTART,
		  " 3 ignore_zero_blocks restart_on_corruption restart_on_error" },
		{ " 2 panic_on_corruption ignore_zero_blocks", VERITY_ON_CORRUPTION_EIO,
		  " 1 ignore_zero_blocks" },
		{ " 1 panic_on_corruption", VERITY_ON_CORRUPTION_EIO, "" },
		{ "", VERITY_ON_CORRUPTION_EIO, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct verity_device *device = reset(0);
		struct err e = { 0 };
		char log[1024] = "table\n";

		strcat(dm.table, rows[i].options);
		if (rows[i].then)
			snprintf(log, sizeof(log), "table\n" RELOAD "%s\nresume\n", rows[i].then);
		expect_success(rows[i].options, verity_arm(device, rows[i].policy, NULL, &e), &e);
		assert_string_equal(fake_sys.log, log);
	}
}

/* The kernel verifies the signature at each load: the key that the table names is there again. */
static void test_arm_signed(void **state)
{
#define SIGNED " 3 ignore_zero_blocks root_hash_sig_key_desc cryptsetup:x"
#define KEY    "add_key cryptsetup:x size=2\n"
	static const struct verity_signature signature = { .size = 2 };
	static const struct {
		const char *label, *options;
		unsigned int fail_call;
		int result;
		const char *log;
	} rows[] = {
		{ "signed", SIGNED, 0, 0, "table\n" KEY RELOAD " 5 ignore_zero_blocks "
		  "root_hash_sig_key_desc cryptsetup:x panic_on_corruption panic_on_error\n"
		  "resume\nunlink_key 77\n" },
		{ "no key", SIGNED, 2, -EIO, "table\n" KEY },
		{ "no load", SIGNED, 4, -EIO, "table\n" KEY RELOAD " 5 ignore_zero_blocks "
		  "root_hash_sig_key_desc cryptsetup:x panic_on_corruption panic_on_error\n"
		  "unlink_key 77\n" },
		/* what was opened with a signature has one */
		{ "no longer signed", "", 0, -ENOKEY, "table\n" },
		{ "not signed", " 1 ignore_zero_blocks", 0, -ENOKEY, "table\n" },
		{ "no name", " 1 root_hash_sig_key_desc", 0, -EINVAL, "table\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct verity_device *device = reset(rows[i].fail_call);
		struct err e = { 0 };
		int r;

		strcat(dm.table, rows[i].options);
		r = verity_arm(device, VERITY_ON_CORRUPTION_PANIC, &signature, &e);
		assert_string_equal(fake_sys.log, rows[i].log);
		if (rows[i].result)
			expect_failure(rows[i].label, r, &e, FAIL_VERITY_OPEN_FAILED,
				       "does not take the corruption policy");
		assert_int_equal(r, rows[i].result);
		assert_int_equal(tasks, 0);
	}
}

/* --- taking over what the kernel opened ------------------------------------------------- */

#define HASH "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
#define ADOPTED "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " 5a"

static const struct {
	const char *label, *table;
	bool absent, writable, suspended, other_length;
	const char *type;
	int result; /* 1 taken over, 0 not there, else refused */
} adopt_rows[] = {
	{ .label = "the same", .table = ADOPTED, .result = 1 },
	{ .label = "with a policy", .table = ADOPTED " 1 panic_on_corruption", .result = 1 },
	{ .label = "absent", .table = ADOPTED, .absent = true, .result = 0 },
	{ .label = "writable", .table = ADOPTED, .writable = true, .result = -EEXIST },
	{ .label = "suspended", .table = ADOPTED, .suspended = true, .result = -EEXIST },
	{ .label = "longer", .table = ADOPTED, .other_length = true, .result = -EEXIST },
	{ .label = "linear", .table = ADOPTED, .type = "linear", .result = -EEXIST },
	{ .label = "weak", .table = ADOPTED " 1 ignore_corruption", .result = -EEXIST },
	{ .label = "weak behind strong", .result = -EEXIST,
	  .table = ADOPTED " 2 panic_on_corruption check_at_most_once" },
	{ .label = "another disk", .result = -EEXIST,
	  .table = "1 254:3 254:2 4096 4096 512 1 sha256 " HASH " 5a" },
	{ .label = "another hash disk", .result = -EEXIST,
	  .table = "1 254:1 254:1 4096 4096 512 1 sha256 " HASH " 5a" },
	{ .label = "another salt", .result = -EEXIST,
	  .table = "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " 5b" },
	{ .label = "no salt", .result = -EEXIST,
	  .table = "1 254:1 254:2 4096 4096 512 1 sha256 " HASH " -" },
};

static struct dm_info info;

int dm_task_get_info(struct dm_task *task, struct dm_info *ret)
{
	(void)task;
	*ret = info;
	return 1;
}

static void test_adopt(void **state)
{
	static const struct verity_numbers numbers = { 254, 1, 254, 2 };
	struct verity_params p;

	(void)state;
	verity_params_init(&p);
	assert_int_equal(verity_params_set(&p, "root_hash", HASH, NULL), 0);
	assert_int_equal(verity_params_set(&p, "salt", "5a", NULL), 0);
	assert_int_equal(verity_params_set(&p, "hash_start", "1", NULL), 0);
	for (size_t i = 0; i < COUNT(adopt_rows); i++) {
		struct verity_device found = { .name = "untouched" };
		struct err e = { 0 };
		int r;

		(void)reset(0);
		/* the fake's target has 4096 sectors */
		p.data_blocks = adopt_rows[i].other_length ? 513 : 512;
		strcpy(dm.table, adopt_rows[i].table);
		if (adopt_rows[i].type)
			dm.type = adopt_rows[i].type;
		info = (struct dm_info){
			.exists = !adopt_rows[i].absent, .suspended = adopt_rows[i].suspended,
			.live_table = 1, .major = 253, .minor = 9,
			.read_only = !adopt_rows[i].writable,
		};
		r = verity_adopt("socle-layer-0", &numbers, &p, &found, &e);
		if (r != adopt_rows[i].result)
			fail_msg("%s: %d", adopt_rows[i].label, r);
		assert_string_equal(found.path, r == 1 ? "/dev/dm-9" : "");
		assert_int_equal(e.code, r < 0 ? FAIL_VERITY_OPEN_FAILED : FAIL_NONE);
		assert_int_equal(tasks, 0);
	}
	(void)reset(1);
	assert_int_equal(verity_adopt("socle-layer-0", &numbers, &p, NULL, NULL), -EIO);
}

/* --- what was wrong ------------------------------------------------------------------- */

static int setup(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	uevents = ends[0];
	kernel = ends[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(uevents);
	close(kernel);
	return 0;
}

static void send_bad_block(const char *minor, const char *block)
{
	char text[256];
	int n = snprintf(text, sizeof(text), "change@/devices/virtual/block/dm-%s%cMINOR=%s%c"
			 "DM_VERITY_ERR_BLOCK_NR=%s", minor, 0, minor, 0, block);

	assert_int_equal(send(kernel, text, (size_t)n + 1, 0), n + 1);
}

/* 129 blocks: a tree of 3 whose top is block 130. */
static void make_params(struct verity_params *p, uint64_t data_blocks)
{
	verity_params_init(p);
	p->data_blocks = data_blocks;
	p->hash_start_block = data_blocks + 1;
	p->hash_start_given = true;
	p->root_hash_size = 32;
}

static const struct diagnose_row {
	const char *label;
	uint64_t data_blocks;
	const char *block, *then; /* in the device's uevents; NULL: none */
	enum fail_code code;
	const char *words;
} diagnose_rows[] = {
	{ "top", 129, "1,130", NULL, FAIL_ROOT_HASH_MISMATCH, "tree (hash block 130) does not" },
	{ "below the top", 129, "1,131", NULL, FAIL_HASH_TREE_CORRUPT, "hash block 131" },
	{ "data", 129, "0,130", NULL, FAIL_DATA_CORRUPT, "data block 130 does not match its hash" },
	{ "data 0", 129, "0,0", NULL, FAIL_DATA_CORRUPT, "data block 0" },
	/* one block needs no tree: its hash is the root hash */
	{ "only block", 1, "0,0", NULL, FAIL_ROOT_HASH_MISMATCH, "tree (data block 0) does not" },
	{ "large", 129, "0,18446744073709551615", NULL, FAIL_DATA_CORRUPT, "18446744073709551615" },
	{ "the first counts", 129, "1,131", "1,130", FAIL_HASH_TREE_CORRUPT, "hash block 131" },
	{ "no uevent", 129, NULL, NULL, FAIL_DATA_CORRUPT, "did not say which" },
	{ "no number", 129, "x", NULL, FAIL_DATA_CORRUPT, "did not say which" },
	{ "half a number", 129, "1,", "1,130", FAIL_ROOT_HASH_MISMATCH, "hash block 130" },
};

static void test_diagnose(void **state)
{
	struct verity_params p;

	(void)state;
	for (size_t i = 0; i < COUNT(diagnose_rows); i++) {
		const struct diagnose_row *row = &diagnose_rows[i];
		const struct verity_device *device = reset(0);
		struct err e = { 0 };

		make_params(&p, row->data_blocks);
		dm.status = "C";
		send_bad_block("6", "1,130");
		send_bad_block("70", "1,130");
		if (row->block)
			send_bad_block("7", row->block);
		if (row->then)
			send_bad_block("7", row->then);
		assert_int_equal(verity_diagnose(device, &p, uevents, &e), 1);
		expect_failure(row->label, -EBADMSG, &e, row->code, row->words);
		assert_int_equal(tasks, 0);
	}
}

/* A device that the kernel has nothing against: the failure is another one. */
static void test_nothing_to_diagnose(void **state)
{
	static const char *const statuses[] = { "V", "", "-" };
	struct verity_params p;

	(void)state;
	make_params(&p, 129);
	for (size_t i = 0; i < COUNT(statuses); i++) {
		const struct verity_device *device = reset(0);
		struct err e = { 0 };

		dm.status = statuses[i];
		send_bad_block("7", "1,130");
		assert_int_equal(verity_diagnose(device, &p, uevents, &e), 0);
		assert_int_equal(e.code, FAIL_NONE);
	}
	assert_int_equal(verity_diagnose(reset(1), &p, uevents, NULL), 0);
}

/* --- proving a device -------------------------------------------------------------------- */

static unsigned int fake_mode, fake_number;

/* A file that says it is a block device. */
int fstat(int fd, struct stat *st)
{
	if (fstatat(fd, "", st, AT_EMPTY_PATH))
		return -1;
	if (fake_mode) {
		st->st_mode = fake_mode;
		st->st_rdev = makedev(253, fake_number);
	}
	return 0;
}

/* No block is believed before the kernel has said V. */
static const struct check_row {
	const char *label;
	const char *node;   /* in the test's folder */
	unsigned int mode, number;
	const char *status, *block;
	enum fail_code code;
	const char *words;  /* NULL: proved */
} check_rows[] = {
	{ "good", "block", S_IFBLK, 7, "V", NULL, FAIL_NONE, NULL },
	{ "read, but corrupt", "block", S_IFBLK, 7, "C", "1,131", FAIL_HASH_TREE_CORRUPT, "131" },
	{ "no status", "block", S_IFBLK, 7, "", NULL, FAIL_DEVICE_READ_FAILED, "status '-', not" },
	{ "odd status", "block", S_IFBLK, 7, "X", NULL, FAIL_DEVICE_READ_FAILED, "status 'X'" },
	{ "short", "short", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "is cut short" },
	/* a folder can be opened and not read */
	{ "I/O error", "folder", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "read the first" },
	{ "wrong root hash", "folder", S_IFBLK, 7, "C", "1,130", FAIL_ROOT_HASH_MISMATCH, "130" },
	{ "bad data", "folder", S_IFBLK, 7, "C", "0,0", FAIL_DATA_CORRUPT, "data block 0" },
	{ "no node", "absent", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "No such file" },
	{ "a file", "block", 0, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "is not device 253:7" },
	{ "characters", "block", S_IFCHR, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "is not device" },
	{ "another", "block", S_IFBLK, 8, "V", NULL, FAIL_DEVICE_READ_FAILED, "is not device" },
};

static void test_check(void **state)
{
	static const char block[4096];
	struct verity_params p;
	struct temp t;
	size_t fds;

	(void)state;
	temp_make(&t);
	put_bytes(t.fd, "block", block, sizeof(block));
	put_bytes(t.fd, "short", block, sizeof(block) - 1);
	put_dir(t.fd, "folder");
	make_params(&p, 129);
	fds = open_fds();
	for (size_t i = 0; i < COUNT(check_rows); i++) {
		const struct check_row *row = &check_rows[i];
		struct verity_device device = *reset(0);
		struct err e = { 0 };
		int r;

		snprintf(device.path, sizeof(device.path), "/proc/self/fd/%d/%s", t.fd, row->node);
		dm.status = row->status;
		if (row->block)
			send_bad_block("7", row->block);
		fake_mode = row->mode;
		fake_number = row->number;
		r = verity_prove(&device, &p, uevents, &e);
		fake_mode = 0;
		if (row->words)
			expect_failure(row->label, r, &e, row->code, row->words);
		else
			expect_success(row->label, r, &e);
		assert_int_equal(tasks, 0);
		assert_int_equal(open_fds(), fds);
	}
	temp_remove(&t);
}

/* --- the kernel's features ------------------------------------------------------------- */

static int alg_errno;          /* of a socket; 0: there are some */
static const char *alg_hashes; /* that can be had */

int socket(int domain, int type, int protocol)
{
	(void)type;
	(void)protocol;
	assert_int_equal(domain, AF_ALG);
	errno = alg_errno;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_alg *alg = (const void *)address;

	(void)fd;
	assert_int_equal(address->sa_family, AF_ALG);
	assert_true(size > 24);
	assert_string_equal((const char *)alg->salg_type, "hash");
	errno = ENOENT;
	return strstr(alg_hashes, (const char *)alg->salg_name) ? 0 : -1;
}

/* The missing option is named before anything is opened. */
static void test_kernel_features(void **state)
{
	static const struct {
		const char *label;
		unsigned int fail_call;
		const char *targets;
		int alg_errno;
		const char *alg_hashes, *hash;
		const char *words; /* NULL: it has them all */
	} rows[] = {
		{ "all", 0, "verity", 0, "sha256 sha512", "sha512", NULL },
		{ "no device-mapper", 1, "verity", 0, "sha256", "sha256",
		  "the kernel lacks CONFIG_BLK_DEV_DM," },
		{ "no verity", 0, "verity2", 0, "sha256", "sha256",
		  "the kernel lacks CONFIG_DM_VERITY, or its module" },
		{ "no AF_ALG", 0, "verity", EAFNOSUPPORT, "sha256", "sha256",
		  "lacks CONFIG_CRYPTO_USER_API_HASH or CONFIG_CRYPTO_SHA256," },
		{ "no hashes", 0, "verity", 0, "", "sha512",
		  "lacks CONFIG_CRYPTO_USER_API_HASH or CONFIG_CRYPTO_SHA512," },
		{ "not sha512", 0, "verity", 0, "sha256", "sha512",
		  "the kernel lacks CONFIG_CRYPTO_SHA512, or its module is not in the "
		  "initramfs: it does not hash with sha512" },
		{ "not sha384", 0, "verity", 0, "sha256", "sha384",
		  "the kernel lacks CONFIG_CRYPTO_SHA512, " },
		{ "not sha256", 0, "verity", 0, "sha512", "sha256",
		  "the kernel lacks CONFIG_CRYPTO_SHA256, " },
	};
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct err e = { 0 };
		int r;

		(void)reset(rows[i].fail_call);
		dm.targets = rows[i].targets;
		alg_errno = rows[i].alg_errno;
		alg_hashes = rows[i].alg_hashes;
		r = verity_kernel_check(rows[i].hash, &e);
		if (rows[i].words)
			expect_failure(rows[i].label, r, &e, FAIL_KERNEL_FEATURE_MISSING,
				       rows[i].words);
		else
			expect_success(rows[i].label, r, &e);
		assert_int_equal(tasks, 0);
		assert_int_equal(open_fds(), fds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_arm_without_resume),
		cmocka_unit_test(test_arm_of_other_tables),
		cmocka_unit_test(test_arm_of_an_adopted_device),
		cmocka_unit_test(test_arm_signed),
		cmocka_unit_test(test_adopt),
		cmocka_unit_test_setup_teardown(test_diagnose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_to_diagnose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check, setup, teardown),
		cmocka_unit_test(test_kernel_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
