// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The policy, the new root and the agent. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/fake_boot.h"
#include "tests/unit/fake_verity.h"

static void fill_sysroot(int dir)
{
	put_dir(dir, "run/socle"); /* no call of the double's makes it */
	put_text(dir, "sysroot/sbin/init", "\177ELF");
	fchmodat(dir, "sysroot/sbin/init", 0755, 0);
	put_text(dir, "sysroot/sbin/text", "not a program");
	put_text(dir, "sysroot/sbin/script", "#! /bin/absent -e\n");
	fchmodat(dir, "sysroot/sbin/script", 0755, 0);
	put_text(dir, "sysroot/sbin/twice", "#!/sbin/script\n");
	fchmodat(dir, "sysroot/sbin/twice", 0755, 0);
	put_text(dir, "sysroot/sbin/loop", "#!/sbin/loop\n");
	fchmodat(dir, "sysroot/sbin/loop", 0755, 0);
	put_dir(dir, "sysroot/sbin/folder");
	put_link(dir, "sysroot/sbin/nowhere", "gone");
	mkfifoat(dir, "sysroot/sbin/fifo", 0755);
}

/* Each time from the first folder on: another generator may be the first. */
#define HIDING(generator)                                                                          \
	"mkdir /run/systemd 0755\n"                                                                \
	"mkdir /run/systemd/system-generators 0755\n"                                              \
	"symlink /dev/null /run/systemd/system-generators/" generator "\n"
#define HIDING_CALLS 3

static const char handover_calls[] =
	"open_in_root /sbin/init\n"
	"verity_arm socle-layer-0 1\n"
	"verity_arm socle-layer-1 1\n"
	"verity_swap socle-layer-0\n"
	"verity_swap socle-layer-1\n" HIDING(
		"systemd-gpt-auto-generator") "mkdir /run/socle 0755\n" SWITCH_ROOT_CALLS;
/* Behind them stands what is unlinked of the initramfs, in a folder's order. */
static const char execve_calls[] =
	"limit_files 1048576\n"
	"execve /sbin/init argv[0]=/sbin/init args=1 "
	"env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n";
#define ARM_CALLS      5
#define HANDOVER_CALLS (18 + HIDING_CALLS)

static const struct step_result *hand_over(unsigned int fail_call, int fail_errno)
{
	make_boot(2, UPPER_TMPFS, true);
	boot.plan.on_corruption = VERITY_ON_CORRUPTION_RESTART;
	fake_verity_reset(fail_call, fail_errno);
	return run_step_in_root(step_handover, fill_sysroot);
}

static void test_handover(void **state)
{
	const struct step_result *result = hand_over(0, 0);

	(void)state;
	assert_memory_equal(result->log, handover_calls, strlen(handover_calls));
	assert_string_equal(result->log + strlen(result->log) - strlen(execve_calls), execve_calls);
	/* it comes back only where the agent cannot be executed */
	expect_failure("execve", result->r, &result->e, FAIL_AGENT_EXEC_FAILED,
		       "execute /sbin/init: Exec format error");
}

static void fill_expedited(int dir)
{
	fill_sysroot(dir);
	put_text(dir, "sys/kernel/rcu_expedited", "0\n");
}

/* The kernel does not take its time for the swap, and is left as it was. */
static void test_swap_is_expedited(void **state)
{
	const struct step_result *result;

	(void)state;
	for (unsigned int call = 0; call <= 4; call += 4) {
		make_boot(2, UPPER_TMPFS, true);
		fake_verity_reset(call, EIO);
		fake_swap_reads = "/sys/kernel/rcu_expedited";
		result = run_step_in_root(step_handover, fill_expedited);
		fake_swap_reads = NULL;
		assert_non_null(strstr(result->log, "verity_swap socle-layer-0 1\n"
						    "verity_swap socle-layer-1 1\n"));
		assert_string_equal(result->expedited, "0\n");
	}
}

static void test_each_handover_call_fails(void **state)
{
	static const int absences[] = { ENOENT, ENOTDIR, ELOOP, EACCES };
	const struct step_result *compressed = hand_over(1, EOPNOTSUPP);

	(void)state;
	expect_failure("compressed", compressed->r, &compressed->e, FAIL_KERNEL_FEATURE_MISSING,
		       "without CONFIG_EROFS_FS_ZIP");
	/* what is not there is another thing than what cannot be read */
	for (size_t i = 0; i < ARRAY_SIZE(absences); i++) {
		const struct step_result *result = hand_over(1, absences[i]);

		expect_failure("absent", result->r, &result->e, FAIL_AGENT_MISSING,
			       "open /sbin/init in the new root");
	}
	for (unsigned int call = 1; call <= HANDOVER_CALLS; call++) {
		const struct step_result *result = hand_over(call, EIO);

		assert_true(result->r < 0);
		assert_int_not_equal(result->e.code, FAIL_NONE);
		/* one swap that fails does not keep the other one from its end */
		assert_int_equal(result->calls, call == 4 ? call + 1 : call);
		assert_null(strstr(result->log, "execve"));
		if (call > 1 && call <= ARM_CALLS)
			assert_string_equal(result->e.volume, call % 2 ? "layer-1" : "layer-0");
	}
}

/* Where nothing is proved, systemd's own ways are not our matter. */
static void test_generators_of_an_unproved_root(void **state)
{
	const struct step_result *result;

	(void)state;
	make_boot(1, UPPER_TMPFS, true);
	boot.plan.layer[0].proof = VOLUME_RAW;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_sysroot);
	assert_null(strstr(result->log, "generator"));
	assert_non_null(strstr(result->log, "execve"));
}

/* A rootfs of Kata's would open what is open; systemd is told not to try. */
static void test_extensions_are_not_opened_twice(void **state)
{
	static const char hiding[] =
		"verity_arm extension-coco 0\n"
		"verity_swap socle-layer-0\n"
		"verity_swap extension-coco\n" HIDING("systemd-gpt-auto-generator")
			HIDING("kata-extension-mount-generator");
	const struct step_result *result;

	(void)state;
	make_boot(1, UPPER_TMPFS, true);
	boot.plan.extensions = 1;
	volume_init(&boot.plan.extension[0], "extension-coco", "extension-coco");
	boot.open[1].volume = &boot.plan.extension[0];
	strcpy(boot.open[1].device.name, "extension-coco");
	boot.open_count = 2;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_sysroot);
	assert_non_null(strstr(result->log, hiding));
	/* and a folder or a link that cannot be made ends the boot */
	for (unsigned int call = ARM_CALLS + 1; call <= ARM_CALLS + 2 * HIDING_CALLS; call++) {
		fake_verity_reset(call, EIO);
		result = run_step_in_root(step_handover, fill_sysroot);
		expect_failure("hiding", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
			       "/run/systemd");
		assert_int_equal(result->calls, call);
	}
}

/* The agent is looked at before the policy is loaded and the initramfs given up. */
static void test_agents(void **state)
{
	static const struct {
		const char *path;
		enum fail_code code;
		const char *words;
		unsigned int more_calls;
	} rows[] = {
		{ "/sbin/absent", FAIL_AGENT_MISSING, "open /sbin/absent in the new root: No", 0 },
		{ "/sbin/nowhere", FAIL_AGENT_MISSING, "open /sbin/nowhere in the new root", 0 },
		{ "/sbin/folder", FAIL_AGENT_MISSING, "/sbin/folder is not a file", 0 },
		/* and nobody waits for who writes into it */
		{ "/sbin/fifo", FAIL_AGENT_MISSING, "/sbin/fifo is not a file", 0 },
		{ "/sbin/text", FAIL_AGENT_EXEC_FAILED, "/sbin/text is not executable", 0 },
		/* the file that is missing is another one */
		{ "/sbin/script", FAIL_AGENT_EXEC_FAILED,
		  "/sbin/script cannot be executed: it needs /bin/absent, which is not in the "
		  "root: "
		  "No such file",
		  1 },
		{ "/sbin/twice", FAIL_AGENT_EXEC_FAILED,
		  "/sbin/twice cannot be executed: /sbin/script needs /bin/absent, which", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct step_result *result;

		make_boot(2, UPPER_TMPFS, true);
		strcpy(boot.plan.agent, rows[i].path);
		fake_verity_reset(0, 0);
		result = run_step_in_root(step_handover, fill_sysroot);
		expect_failure(rows[i].path, result->r, &result->e, rows[i].code, rows[i].words);
		assert_int_equal(result->calls, 1 + rows[i].more_calls);
	}
}

static void fill_with_a_program(int dir)
{
	fill_sysroot(dir);
	put_text(dir, "socle-volume", "\177ELF");
	put_text(dir, "sbin/init", "\177ELF");
	assert_int_equal(fchmodat(dir, "sbin/init", 0755, 0), 0);
}

/* It is copied out of an initramfs that goes, and linked to in one that stays. */
static void test_run_time_volumes(void **state)
{
	static const char link[] = "symlink /socle-volume /run/socle/socle-volume\n";
	const struct step_result *result;

	(void)state;
	make_boot(2, UPPER_TMPFS, true);
	boot.plan.volumes = true;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_with_a_program);
	assert_non_null(strstr(result->log, "execve"));
	assert_null(strstr(result->log, link));
	result = run_step_in_root(step_handover, fill_sysroot);
	expect_failure("not packed", result->r, &result->e, FAIL_PROGRAM_MISSING,
		       "the initramfs has no /socle-volume");
	assert_null(strstr(result->log, "chroot"));
	make_boot(0, UPPER_NONE, false);
	boot.plan.root = PLAN_ROOT_INITRAMFS;
	boot.plan.volumes = true;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_with_a_program);
	assert_non_null(strstr(result->log, link));
	assert_non_null(strstr(result->log, "execve"));
}

/* A script of itself ends, and the kernel says what it thinks of it. */
static void test_loop_of_scripts(void **state)
{
	const struct step_result *result;

	(void)state;
	make_boot(2, UPPER_TMPFS, true);
	strcpy(boot.plan.agent, "/sbin/loop");
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_sysroot);
	expect_failure("loop", result->r, &result->e, FAIL_AGENT_EXEC_FAILED, "execute /sbin/loop");
}

static void fill_with_a_loop(int dir)
{
	fill_sysroot(dir);
	put_link(dir, "tmp", "tmp");
}

/* A tmpfs is put where nothing can be written, and over nothing else. */
static void test_tmp_that_leads_nowhere(void **state)
{
	const struct step_result *result;

	(void)state;
	make_boot(2, UPPER_TMPFS, true);
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_handover, fill_with_a_loop);
	expect_failure("loop", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED, "stat /tmp: ");
	assert_null(strstr(result->log, "tmpfs"));
	assert_null(strstr(result->log, "execve"));
}

static void test_handover_after_a_bad_block(void **state)
{
	const struct step_result *result;

	(void)state;
	make_boot(2, UPPER_TMPFS, true);
	fake_verity_reset(0, 0);
	fake_bad_device = "socle-layer-1";
	result = run_step_in_root(step_handover, fill_sysroot);
	expect_failure("bad block", result->r, &result->e, FAIL_DATA_CORRUPT, "does not match");
	assert_string_equal(result->e.volume, "layer-1");
	assert_int_equal(result->calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_swap_is_expedited),
		cmocka_unit_test(test_each_handover_call_fails),
		cmocka_unit_test(test_generators_of_an_unproved_root),
		cmocka_unit_test(test_extensions_are_not_opened_twice),
		cmocka_unit_test(test_agents),
		cmocka_unit_test(test_run_time_volumes),
		cmocka_unit_test(test_loop_of_scripts),
		cmocka_unit_test(test_tmp_that_leads_nowhere),
		cmocka_unit_test(test_handover_after_a_bad_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
