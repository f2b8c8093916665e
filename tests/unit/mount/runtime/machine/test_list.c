// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What socle_list() and socle_verify() tell of stacks. */
#include "tests/unit/mount/runtime/machine/stacks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sys.h"
#include "mount/runtime/library.c"
#include "verity/dm.h"

/* --- list ------------------------------------------------------------------------------ */

/* What it told, a line a mount and a layer. */
static char told[65536];

static int tell_line(const struct socle_mount_info *m, void *data)
{
	size_t used = strlen(told);

	used += (size_t)sprintf(told + used, "%s %s\n", m->target ? m->target : "nowhere",
				m->writable ? "rw" : "ro");
	for (size_t i = 0; i < m->layer_count; i++) {
		const struct socle_layer_info *l = &m->layers[i];

		used += (size_t)sprintf(told + used, "  %s%s %s %.4s %c %llu %s\n",
					strrchr(l->name, '.') + 1,
					strcmp(l->kind,
					       l->root_hash[0] ? "verified" : "unverified") ?
						l->kind :
						"",
					l->data, l->root_hash, l->status ? l->status : '-',
					(unsigned long long)l->size_bytes, l->device);
	}
	return data ? *(int *)data : 0;
}

static const char *list(void)
{
	struct socle_error e = { .code = "" };

	told[0] = '\0';
	if (socle_list(tell_line, NULL, &e))
		fail_msg("list: %s %s", e.code, e.text);
	return told;
}

static void test_list(void **state)
{
	(void)state;
	new_machine();
	assert_string_equal(list(), "");
	assert_int_equal(mount_kind(&not_proved, TARGET), 0);
	assert_string_equal(list(), TARGET " rw\n  0 254:0  - 1048576 /dev/dm-0\n"
					   "  1 254:1 0123 V 32768 /dev/dm-1\n");
	fake_kernel_device(fake_kernel->device[1].name)->corrupt = true;
	assert_non_null(strstr(list(), "  1 254:1 0123 C 32768 /dev/dm-1\n"));
	assert_int_equal(umount_target(TARGET), 0);
	assert_string_equal(list(), "");
	assert_int_equal(mount_kind(&one_layer, TARGET), 0);
	assert_int_equal(mount_kind(&of_directories, "/run/bundle/a b"), 0);
	assert_non_null(strstr(list(), TARGET " ro\n  0 254:0 0123 V 32768 /dev/dm-0\n"));
	assert_non_null(strstr(list(), "/run/bundle/a b ro\n"));
	fake_kernel->no_device_mapper = true;
	assert_string_equal(list(), "/run/bundle/a b ro\n");
	fake_kernel->no_device_mapper = false;
	assert_int_equal(umount_target("/run/bundle/a b"), 0);
	assert_int_equal(umount_target(TARGET), 0);
}

/* All 127 of them, in their order, which is not that of their names. */
static void test_order(void **state)
{
	static char text[127 * 160];
	const struct stack_kind many = { "many", text, "tmpfs", 0, 0, 127, true };
	const char *at;
	size_t used = 0;

	(void)state;
	fake_kernel_reset(127);
	for (int i = 0; i < 127; i++)
		used += (size_t)sprintf(text + used,
					"/dev/%s,fstype=ext4,data_blocks=8,root_hash=" HASH "\n",
					fake_kernel->disk[i].name);
	assert_int_equal(mount_kind(&many, TARGET), 0);
	at = list();
	for (int i = 0; i < 127; i++) {
		char line[64];

		snprintf(line, sizeof(line), "\n  %d 254:%d 0123 V", i, i);
		at = strstr(at, line);
		if (!at)
			fail_msg("layer %d is not in its place: %s", i, told);
	}
	assert_int_equal(umount_target(TARGET), 0);
	expect_nothing("many");
}

/* What has no target any more, and what a caller that has enough returns. */
static void test_leftovers(void **state)
{
	struct socle_error e = { .code = "untouched" };
	int enough = 7;

	(void)state;
	new_machine();
	assert_int_equal(mount_kind(&one_layer, TARGET), 0);
	fake_kernel->device[0].others = 1;
	assert_int_equal(sys_umount(TARGET, 0), 0);
	assert_string_equal(list(), "nowhere ro\n  0 254:0 0123 V 32768 /dev/dm-0\n");
	assert_int_equal(socle_list(tell_line, &enough, &e), 7);
	enough = -5;
	assert_int_equal(socle_list(tell_line, &enough, &e), -5);
	assert_string_equal(e.code, "untouched");
	fake_kernel->device[0].others = 0;
	assert_string_equal(list(), "");
	/* A device that never got its table. */
	assert_int_equal(dm_create("socle.0123456789abcdef.0", NULL, NULL), 0);
	assert_non_null(strstr(list(), "nowhere ro\n  0leftover   - 0 /dev/dm-"));
	assert_int_equal(dm_remove("socle.0123456789abcdef.0"), 0);
	/* The stage of a stack of directories, whose mount was killed. */
	put_dir(AT_FDCWD, "/run/socle/0123456789abcdef/stage");
	fake_kernel_mount("socle.0123456789abcdef.stage", "/run/socle/0123456789abcdef/stage");
	assert_string_equal(list(), "nowhere ro\n");
}

static void test_list_fails(void **state)
{
	bool reached = true;

	(void)state;
	for (unsigned int call = 1; reached; call++) {
		struct socle_error e = { .code = "" };
		int r;

		new_machine();
		assert_int_equal(mount_kind(&two_layers, TARGET), 0);
		fake_kernel->calls = 0;
		fake_kernel->fail_call = call;
		told[0] = '\0';
		r = socle_list(tell_line, NULL, &e);
		reached = fake_kernel->calls >= call;
		fake_kernel->fail_call = 0;
		if (r) {
			assert_string_equal(e.code, "SYSTEM_CALL_FAILED");
			assert_string_equal(e.step, "list");
		}
		assert_int_equal(umount_target(TARGET), 0);
	}
}

/* --- verify ---------------------------------------------------------------------------- */

static struct {
	unsigned int calls, stop_at;
	uint64_t done_bytes, all_bytes;
} progress;

static int note_progress(uint64_t done_bytes, uint64_t all_bytes, void *data)
{
	(void)data;
	assert_true(done_bytes > progress.done_bytes && done_bytes <= all_bytes);
	progress.done_bytes = done_bytes;
	progress.all_bytes = all_bytes;
	return ++progress.calls == progress.stop_at;
}

static int verify(void)
{
	struct socle_error e = { .code = "" };
	int r;

	memset(&progress.done_bytes, 0, sizeof(progress.done_bytes));
	progress.calls = 0;
	r = socle_verify(TARGET, note_progress, NULL, &e);
	said = e;
	return r;
}

static void test_verify(void **state)
{
	size_t fds = open_fds();

	(void)state;
	new_machine();
	assert_int_equal(mount_kind(&two_layers, TARGET), 0);
	assert_int_equal(verify(), 0);
	assert_int_equal(progress.done_bytes, 2 * 8 * 4096);
	assert_int_equal(progress.all_bytes, 2 * 8 * 4096);
	expect_mounted(&two_layers);
	progress.stop_at = 1;
	expect_error(verify(), ECANCELED, "SYSTEM_CALL_FAILED", "verify", "volume-0", "stopped");
	progress.stop_at = 0;
	expect_mounted(&two_layers);
	/* What the container would panic of is an error here, and the block is named. */
	fake_kernel->disk[1].bad = true;
	fake_kernel->disk[1].met = MET_BY_VERIFY;
	fake_kernel->disk[1].bad_block = 3;
	expect_error(verify(), EBADMSG, "DATA_CORRUPT", "verify", "volume-1",
		     "on 254:1: data block 3");
	fake_kernel->disk[1].bad_metadata = true;
	fake_kernel->disk[1].bad_block = 9;
	expect_error(verify(), EBADMSG, "ROOT_HASH_MISMATCH", "verify", "volume-1",
		     "(hash block 9)");
	expect_mounted(&two_layers);
	assert_int_equal(umount_target(TARGET), 0);
	expect_error(verify(), ENOENT, "VALUE_INVALID", "verify", "", "nothing that is proved");
	expect_nothing("verified");
	assert_int_equal(open_fds(), fds);
}

/* A table that names a key, which is not there any more. */
static void test_verify_signed(void **state)
{
	struct fake_device *d;

	(void)state;
	new_machine();
	assert_int_equal(mount_kind(&one_layer, TARGET), 0);
	d = &fake_kernel->device[0];
	strcpy(strstr(d->live.line, " 2 panic"),
	       " 4 root_hash_sig_key_desc socle:x panic_on_corruption panic_on_error");
	assert_int_equal(verify(), 0);
	fake_kernel->require_signatures = true;
	expect_error(verify(), ENOKEY, "SIGNATURE_MISSING", "verify", "volume-0", "none is kept");
	assert_int_equal(fake_kernel_left().devices, 1);
	assert_int_equal(umount_target(TARGET), 0);
	expect_nothing("signed");
}

static void test_verify_nothing(void **state)
{
	const struct stack_kind raw = { "raw", UNPROVED("vda"), NULL, 1, 0, 1, false };

	(void)state;
	new_machine();
	assert_int_equal(mount_kind(&raw, TARGET), 0);
	expect_error(verify(), ENOENT, "VALUE_INVALID", "verify", "", "nothing that is proved");
	assert_int_equal(umount_target(TARGET), 0);
}

/* Its device, left by who was killed between making and marking it, is in nobody's way. */
static void test_verify_killed(void **state)
{
	char name[128];

	(void)state;
	new_machine();
	assert_int_equal(mount_kind(&one_layer, TARGET), 0);
	strcpy(name, fake_kernel->device[0].name);
	strcpy(strrchr(name, '.'), ".verify");
	assert_int_equal(dm_create(name, NULL, NULL), 0);
	assert_int_equal(verify(), 0);
	assert_int_equal(dm_create(name, NULL, NULL), 0);
	assert_int_equal(mount_kind(&one_layer, TARGET), 0);
	expect_mounted(&one_layer);
	assert_int_equal(umount_target(TARGET), 0);
}

/* Nothing of it stays, and what was killed on it is taken away by who comes next. */
static void test_verify_fails(void **state)
{
	bool reached = true;
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; reached; call++) {
		int r;

		new_machine();
		assert_int_equal(mount_kind(&two_layers, TARGET), 0);
		fake_kernel->calls = 0;
		fake_kernel->fail_call = call;
		r = verify();
		reached = fake_kernel->calls >= call;
		fake_kernel->fail_call = 0;
		if (r && !said.code[0])
			fail_msg("call %u has no code", call);
		assert_int_equal(mount_kind(&two_layers, TARGET), 0);
		expect_mounted(&two_layers);
		assert_int_equal(open_fds(), fds);
		assert_int_equal(umount_target(TARGET), 0);
		expect_nothing("verify");
	}
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),          cmocka_unit_test(test_order),
		cmocka_unit_test(test_list_fails),    cmocka_unit_test(test_verify),
		cmocka_unit_test(test_verify_signed), cmocka_unit_test(test_verify_nothing),
		cmocka_unit_test(test_verify_killed), cmocka_unit_test(test_verify_fails),
		cmocka_unit_test(test_leftovers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return with_own_run(run);
}
