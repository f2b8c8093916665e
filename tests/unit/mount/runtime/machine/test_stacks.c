// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Stacks mounted and unmounted, with every call failing and the process killed at each. */
#include "tests/unit/mount/runtime/machine/stacks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys.h"
#include "mount/runtime/library.c"

/* More than any request here makes. */
#define CALLS_MAX 600

/* A clock that goes on by itself only while nobody sleeps: then at once by so much. */
static struct timespec slept;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ret);

	ret->tv_sec += slept.tv_sec;
	ret->tv_nsec += slept.tv_nsec;
	return r;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	slept.tv_nsec += time->tv_nsec;
	slept.tv_sec += time->tv_sec + slept.tv_nsec / 1000000000;
	slept.tv_nsec %= 1000000000;
	return 0;
}

static void expect_done(const char *label, int r)
{
	if (r)
		fail_msg("%s: %d %s %s %s: %s (after %s)", label, r, said.code, said.step,
			 said.volume, said.text, fake_kernel->last);
}

static void test_mount(void **state)
{
	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++) {
		const struct stack_kind *kind = stack_kinds[i];
		size_t fds = open_fds();

		new_machine();
		expect_done(kind->label, mount_kind(kind, TARGET));
		expect_mounted(kind);
		assert_int_equal(open_fds(), fds);
		expect_done(kind->label, umount_target(TARGET));
		expect_nothing(kind->label);
		/* Twice is once. */
		expect_done(kind->label, umount_target(TARGET));
		expect_nothing(kind->label);
		assert_int_equal(open_fds(), fds);
	}
}

/* Whoever unmounts it, all goes; but not while somebody has one of its devices open. */
static void test_umount_by_others(void **state)
{
	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++) {
		new_machine();
		expect_done("mount", mount_kind(stack_kinds[i], TARGET));
		assert_int_equal(sys_umount(TARGET, 0), 0);
		expect_nothing(stack_kinds[i]->label);
	}
	new_machine();
	expect_done("mount", mount_kind(&two_layers, TARGET));
	fake_kernel->device[1].others = 1;
	assert_int_equal(sys_umount(TARGET, 0), 0);
	assert_int_equal(fake_kernel_left().devices, 1);
	fake_kernel->device[1].others = 0;
	expect_nothing("let go of");
}

/* Every call that fails leaves nothing and says why; the last ones do not matter. */
static void test_mount_fails(void **state)
{
	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++) {
		const struct stack_kind *kind = stack_kinds[i];
		size_t fds = open_fds();
		unsigned int failed = 0, call;
		bool reached = true;

		for (call = 1; reached && call < CALLS_MAX; call++) {
			int r;

			new_machine();
			fake_kernel->fail_call = call;
			fake_kernel->fail_errno = EIO;
			r = mount_kind(kind, TARGET);
			reached = fake_kernel->calls >= call;
			fake_kernel->fail_call = 0;
			assert_int_equal(open_fds(), fds);
			if (!r) {
				/* What could not be taken away of it goes with it. */
				expect_done(kind->label, umount_target(TARGET));
			} else {
				failed++;
				assert_string_not_equal(said.code, "NONE");
				assert_string_not_equal(said.text, "");
				expect_done(kind->label, umount_target(TARGET));
			}
			expect_nothing(kind->label);
		}
		assert_true(failed > 20);
		assert_true(call < CALLS_MAX);
	}
}

/* Those that differ in what they make of calls: the others only make more of them. */
static const struct stack_kind *const kinds_killed[] = {
	&one_layer, &two_layers, &on_scratch, &of_directories, NULL,
};

/* A process of its own is killed in the place of one of its calls: 1; or has done it: 0. */
static bool killed_at(unsigned int call, int (*what)(const struct stack_kind *kind),
		      const struct stack_kind *kind)
{
	int status;
	pid_t child;

	fake_kernel->calls = 0;
	fake_kernel->kill_call = call;
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(what(kind) ? 2 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	fake_kernel->kill_call = 0;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 2);
	return WEXITSTATUS(status) == 0;
}

static int mount_it(const struct stack_kind *kind)
{
	return mount_kind(kind, TARGET);
}

static int umount_it(const struct stack_kind *kind)
{
	(void)kind;
	return umount_target(TARGET);
}

static void test_mount_killed(void **state)
{
	(void)state;
	for (size_t i = 0; kinds_killed[i]; i++) {
		const struct stack_kind *kind = kinds_killed[i];
		bool killed = true;

		for (unsigned int call = 1; killed && call < CALLS_MAX; call++) {
			new_machine();
			killed = killed_at(call, mount_it, kind);
			expect_done(kind->label, umount_target(TARGET));
			expect_nothing(kind->label);
			(void)killed_at(call, mount_it, kind);
			expect_done(kind->label, mount_kind(kind, TARGET));
			expect_mounted(kind);
			expect_done(kind->label, umount_target(TARGET));
			expect_nothing(kind->label);
		}
	}
}

static void test_umount_killed(void **state)
{
	(void)state;
	for (size_t i = 0; kinds_killed[i]; i++) {
		const struct stack_kind *kind = kinds_killed[i];
		bool killed = true;

		for (unsigned int call = 1; killed && call < CALLS_MAX; call++) {
			new_machine();
			expect_done(kind->label, mount_kind(kind, TARGET));
			killed = killed_at(call, umount_it, kind);
			expect_done(kind->label, umount_target(TARGET));
			expect_nothing(kind->label);
		}
	}
}

/* It fails and says so, or all is gone. */
static void test_umount_fails(void **state)
{
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++) {
		const struct stack_kind *kind = stack_kinds[i];
		bool reached = true;

		for (unsigned int call = 1; reached && call < CALLS_MAX; call++) {
			int r;

			new_machine();
			expect_done(kind->label, mount_kind(kind, TARGET));
			fake_kernel->calls = 0;
			fake_kernel->fail_call = call;
			r = umount_target(TARGET);
			reached = fake_kernel->calls >= call;
			fake_kernel->fail_call = 0;
			if (!r && (fake_kernel_left().devices || fake_kernel_left().mounts))
				fail_msg("%s: call %u failed and was not told", kind->label, call);
			if (r)
				assert_string_equal(said.step, "umount");
			expect_done(kind->label, umount_target(TARGET));
			expect_nothing(kind->label);
			assert_int_equal(open_fds(), fds);
		}
	}
}

static void test_again(void **state)
{
	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++) {
		struct fake_left before;

		new_machine();
		expect_done("first", mount_kind(stack_kinds[i], TARGET));
		before = fake_kernel_left();
		expect_done("second", mount_kind(stack_kinds[i], TARGET));
		expect_mounted(stack_kinds[i]);
		assert_int_equal(fake_kernel_left().filesystems, before.filesystems);
		expect_done("umount", umount_target(TARGET));
	}
}

/* One of the others on the same target, or the same with another policy. */
static void test_another(void **state)
{
	(void)state;
	for (size_t i = 0; stack_kinds[i]; i++)
		for (size_t j = 0; stack_kinds[j]; j++) {
			if (i == j)
				continue;
			new_machine();
			expect_done("first", mount_kind(stack_kinds[i], TARGET));
			expect_error(mount_kind(stack_kinds[j], TARGET), EBUSY, "TARGET_IN_USE",
				     "mounts", "", "another stack is mounted there");
			expect_mounted(stack_kinds[i]);
			expect_done("umount", umount_target(TARGET));
		}
	new_machine();
	expect_done("panic", mount_kind(&two_layers, TARGET));
	expect_error(mount_kind_armed(&two_layers, TARGET, "eio"), EBUSY, "TARGET_IN_USE", "mounts",
		     "", "another stack");
	expect_error(mount_kind_armed(&two_layers, TARGET, "restart"), EBUSY, "TARGET_IN_USE",
		     "mounts", "", "another stack");
	expect_done("panic", mount_kind_armed(&two_layers, TARGET, "panic"));
	expect_done("umount", umount_target(TARGET));
	expect_done("eio", mount_kind_armed(&two_layers, TARGET, "eio"));
	expect_error(mount_kind(&two_layers, TARGET), EBUSY, "TARGET_IN_USE", "mounts", "",
		     "another stack");
	expect_done("umount", umount_target(TARGET));
	/* A policy's words that this kernel does not know are left out, and it is the same. */
	new_machine();
	fake_kernel->unknown_word = "panic_on_error";
	expect_done("older kernel", mount_kind(&two_layers, TARGET));
	expect_done("older kernel again", mount_kind(&two_layers, TARGET));
	expect_done("umount", umount_target(TARGET));
	expect_nothing("older kernel");
}

static void expect_another(const struct stack_kind *first, const struct stack_kind *second,
			   const char *words)
{
	new_machine();
	expect_done(first->label, mount_kind(first, TARGET));
	expect_error(mount_kind(second, TARGET), EBUSY, "TARGET_IN_USE", "mounts", "", words);
	expect_mounted(first);
	expect_done("umount", umount_target(TARGET));
	expect_nothing("another");
}

/* What differs is told as far as it is known. */
static void test_what_differs(void **state)
{
	static const char volume[] = TARGET ": another stack is mounted there: its ",
			  upper[] = TARGET ": another stack is mounted there: what is written to";
	struct stack_kind other = two_layers;
	char words[160];

	(void)state;
	expect_another(&two_layers, &one_on_tmpfs, "it has 2 volumes");
	expect_another(&one_on_tmpfs, &two_layers, "it has 1 volume,");
	other.upper = "tmpfs,size=1m";
	expect_another(&two_layers, &other, upper);
	expect_another(&one_layer, &one_on_tmpfs, upper);
	expect_another(&one_on_tmpfs, &one_layer, upper);
	other.upper = two_layers.upper;
	other.text = PROVED("vda") "/dev/vdb,fstype=xfs,data_blocks=8,root_hash=" HASH "\n";
	snprintf(words, sizeof(words), "%svolume-1 is ", volume);
	expect_another(&two_layers, &other, words);
	/* The same two disks in another order. */
	other.text = PROVED("vdb") PROVED("vda");
	snprintf(words, sizeof(words), "%svolume-0 is ", volume);
	expect_another(&two_layers, &other, words);
	/* One file system's further devices are another one's layers. */
	other = with_devices;
	other.text = "{\"version\":1,\"layers\":[" DEVICE("vda") "," DEVICE("vdb") "," DEVICE(
		"vdc") "," DEVICE_EXT4("vdd") "]}";
	expect_another(&with_devices, &other, words);
}

/* A directory that was unpacked anew is another one, though its name is the same. */
static void test_directories_anew(void **state)
{
	(void)state;
	new_machine();
	expect_done("mount", mount_kind(&of_directories, TARGET));
	assert_int_equal(rename("/run/image/1", "/run/image/old"), 0);
	put_dir(AT_FDCWD, "/run/image/1");
	expect_error(mount_kind(&of_directories, TARGET), EBUSY, "TARGET_IN_USE", "mounts", "",
		     "or its directories");
	assert_int_equal(rmdir("/run/image/1"), 0);
	assert_int_equal(rename("/run/image/old", "/run/image/1"), 0);
	expect_done("again", mount_kind(&of_directories, TARGET));
	expect_done("umount", umount_target(TARGET));
}

/* That the kernel does not answer is no other stack. */
static void test_again_fails(void **state)
{
	bool reached = true;

	(void)state;
	new_machine();
	expect_done("first", mount_kind(&two_layers, TARGET));
	for (unsigned int call = 1; reached; call++) {
		int r;

		fake_kernel->calls = 0;
		fake_kernel->fail_call = call;
		fake_kernel->fail_errno = EIO;
		r = mount_kind(&two_layers, TARGET);
		reached = fake_kernel->calls >= call;
		fake_kernel->fail_call = 0;
		if (r && !strcmp(said.code, "TARGET_IN_USE"))
			fail_msg("call %u: %s %s", call, said.code, said.text);
		expect_done("again", mount_kind(&two_layers, TARGET));
		expect_mounted(&two_layers);
	}
	expect_done("umount", umount_target(TARGET));
}

static void test_foreign(void **state)
{
	(void)state;
	new_machine();
	put_dir(AT_FDCWD, TARGET);
	fake_kernel_mount("/dev/sda", TARGET);
	expect_error(mount_kind(&two_layers, TARGET), EBUSY, "TARGET_IN_USE", "mounts", "",
		     "something else is mounted there");
	expect_done("nothing of ours", umount_target(TARGET));
	assert_int_equal(fake_kernel_left().mounts, 1);
	/* Above one of ours. */
	new_machine();
	expect_done("mount", mount_kind(&two_layers, TARGET));
	fake_kernel_mount("/dev/sda", TARGET);
	expect_error(umount_target(TARGET), EBUSY, "TARGET_IN_USE", "umount", "",
		     "something else is mounted on " TARGET);
	assert_int_equal(fake_kernel_left().mounts, 2);
	assert_int_equal(fake_kernel_left().devices, 2);
	assert_int_equal(sys_umount(TARGET, 0), 0);
	expect_done("umount", umount_target(TARGET));
	expect_nothing("foreign");
}

static void test_busy(void **state)
{
	unsigned int left = 7;

	(void)state;
	new_machine();
	expect_done("mount", mount_kind(&two_layers, TARGET));
	fake_kernel_mount_on(TARGET)->busy = true;
	expect_error(umount_target(TARGET), EBUSY, "TARGET_IN_USE", "umount", "",
		     "unmount " TARGET ": ");
	expect_mounted(&two_layers);
	fake_kernel_mount_on(TARGET)->busy = false;
	/* Somebody reads one of the disks through its device: that goes later. */
	fake_kernel->device[0].others = 1;
	assert_int_equal(socle_umount(TARGET, &left, NULL), 0);
	assert_int_equal(left, 1);
	expect_error(mount_kind(&two_layers, TARGET), EBUSY, "TARGET_IN_USE", "mounts", "",
		     "devices of an earlier mount are still open");
	fake_kernel->device[0].others = 0;
	expect_nothing("busy");
	expect_done("mount", mount_kind(&two_layers, TARGET));
	expect_done("umount", umount_target(TARGET));
	expect_nothing("busy");
}

/* The kernel meets a bad block on the way: that is the reason, with its number. */
static void test_bad_block(void **state)
{
	static const struct {
		unsigned int disk;
		enum fake_met met;
		bool metadata;
		unsigned int block;
		const char *code, *volume, *words;
	} rows[] = {
		{ 0, MET_BY_PROOF, true, 9, "ROOT_HASH_MISMATCH", "volume-0", "(hash block 9)" },
		{ 1, MET_BY_PROOF, true, 10, "HASH_TREE_CORRUPT", "volume-1", "hash block 10" },
		{ 1, MET_BY_PROOF, false, 0, "DATA_CORRUPT", "volume-1", "data block 0" },
		{ 0, MET_BY_MOUNT, false, 5, "DATA_CORRUPT", "volume-0", "data block 5" },
		{ 1, MET_BY_MOUNT, true, 10, "HASH_TREE_CORRUPT", "volume-1", "hash block 10" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_disk *d;
		int r;

		new_machine();
		d = &fake_kernel->disk[rows[i].disk];
		d->bad = true;
		d->met = rows[i].met;
		d->bad_metadata = rows[i].metadata;
		d->bad_block = rows[i].block;
		r = mount_kind(&two_layers, TARGET);
		expect_error(r, EBADMSG, rows[i].code, "verity", rows[i].volume, rows[i].words);
		expect_nothing("bad block");
	}
	/* One that nothing failed of, and that was met all the same. */
	new_machine();
	fake_kernel->disk[0].bad = true;
	fake_kernel->disk[0].bad_block = 6;
	fake_kernel->disk[0].met = MET_BY_MOUNT;
	fake_kernel->disk[0].unnoticed = true;
	expect_error(mount_kind(&two_layers, TARGET), EBADMSG, "DATA_CORRUPT", "verity", "volume-0",
		     "data block 6");
	expect_nothing("unnoticed");
}

/* What is refused before anything is touched, or with its own step and volume. */
static void test_refused(void **state)
{
	struct stack_kind kind = two_layers;

	(void)state;
	new_machine();
	fake_kernel->disks = 1;
	expect_error(mount_kind(&two_layers, TARGET), ENODEV, "DEVICE_NOT_FOUND", "devices",
		     "volume-1", "vdb");
	new_machine();
	fake_kernel->require_signatures = true;
	expect_error(mount_kind(&two_layers, TARGET), ENOKEY, "SIGNATURE_MISSING", "verity",
		     "volume-0", "no signature");
	new_machine();
	fake_kernel->no_device_mapper = true;
	expect_error(mount_kind(&two_layers, TARGET), ENOTSUP, "KERNEL_FEATURE_MISSING", "verity",
		     "", "CONFIG_BLK_DEV_DM");
	expect_done("no device", mount_kind(&of_directories, TARGET));
	expect_done("no device", umount_target(TARGET));
	new_machine();
	fake_kernel->disk[1].size_bytes = 4096;
	expect_error(mount_kind(&two_layers, TARGET), ENOSPC, "DEVICE_TOO_SMALL", "verity",
		     "volume-1", "vdb has 4096 bytes");
	new_machine();
	kind.upper = "disk:/dev/vdb";
	expect_error(mount_kind(&kind, TARGET), EBUSY, "SCRATCH_FAILED", "scratch", "upper",
		     "shared");
	kind = not_proved;
	kind.allowed = 0;
	expect_error(mount_kind(&kind, TARGET), EINVAL, "VERITY_MISSING", "describe", "volume-0",
		     "--allow-unverified 0");
	expect_error(mount_kind(&two_layers, "rootfs"), EINVAL, "VALUE_INVALID", "mounts", "",
		     "absolute path");
	expect_error(mount_kind(&two_layers, "/run/socle/x"), EINVAL, "VALUE_INVALID", "mounts", "",
		     "is in /run/socle");
	expect_error(umount_target("/run/socle"), EINVAL, "VALUE_INVALID", "umount", "",
		     "is in /run/socle");
	(void)rmdir("/run/socle/x");
	expect_nothing("refused");
}

static void test_policy(void **state)
{
	(void)state;
	new_machine();
	put_text(AT_FDCWD, "/run/socle/policy", "verity=required\non_corruption=stop\n");
	expect_error(mount_kind(&not_proved, TARGET), EPERM, "POLICY_REFUSED", "describe",
		     "volume-0", "");
	expect_error(mount_kind_armed(&one_layer, TARGET, "eio"), EPERM, "POLICY_REFUSED",
		     "describe", "", "");
	assert_int_equal(fake_kernel->calls, 0);
	expect_done("allowed", mount_kind(&one_layer, TARGET));
	expect_done("allowed", umount_target(TARGET));
	put_text(AT_FDCWD, "/run/socle/policy", "verity=maybe\n");
	expect_error(mount_kind(&one_layer, TARGET), EINVAL, "VALUE_INVALID", "describe", "",
		     "/run/socle/policy");
	assert_int_equal(unlink("/run/socle/policy"), 0);
	(void)rmdir("/run/socle");
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mount),        cmocka_unit_test(test_umount_by_others),
		cmocka_unit_test(test_mount_fails),  cmocka_unit_test(test_mount_killed),
		cmocka_unit_test(test_umount_fails), cmocka_unit_test(test_umount_killed),
		cmocka_unit_test(test_again),        cmocka_unit_test(test_another),
		cmocka_unit_test(test_what_differs), cmocka_unit_test(test_directories_anew),
		cmocka_unit_test(test_again_fails),  cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_busy),         cmocka_unit_test(test_bad_block),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return with_own_run(run);
}
