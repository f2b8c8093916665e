// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a guest finds in /run/socle, and who may change it. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/root/run_socle.h"
#include "mount/policy_read.h"
#include "tests/unit/fake_sys.h"

#define PROGRAM_BYTES 3000000 /* more than one sendfile() */

/* What the guest has of a file afterwards. */
struct found {
	mode_t mode; /* 0: no such file */
	off_t size;
	char text[64]; /* its last bytes */
};

static struct result {
	int r, policy_r;
	bool policy_found;
	struct policy policy;
	struct err e;
	struct found run_policy, program;
	char log[256];
} * result;

static bool with_program, in_place;

static void look(const char *path, struct found *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0 || fstat(fd, &st))
		return;
	ret->mode = st.st_mode;
	ret->size = st.st_size;
	(void)!pread(fd, ret->text, sizeof(ret->text) - 1, st.st_size < 60 ? 0 : st.st_size - 60);
	close(fd);
}

static void run(void *shared)
{
	(void)shared;
	umask(022);
	fake_sys_reset(0, 0);
	result->r = run_socle_policy(&result->e);
	if (!result->r && with_program)
		result->r = run_socle_program(in_place, &result->e);
	look(POLICY_RUN_FILE, &result->run_policy);
	look(RUN_SOCLE "/socle-volume", &result->program);
	result->policy_r = policy_read(&result->policy, &result->policy_found, NULL);
	memcpy(result->log, fake_sys.log, sizeof(result->log) - 1);
}

static void run_in(void (*fill)(int dir), bool program, bool stays)
{
	if (!result)
		result = shared_memory(sizeof(*result));
	memset(result, 0, sizeof(*result));
	with_program = program;
	in_place = stays;
	if (in_own_root(fill, run, result))
		skip();
}

/* The double makes no directory. */
static void fill_nothing_packed(int dir)
{
	put_dir(dir, "run/socle");
}

static void fill_packed(int dir)
{
	static char program[PROGRAM_BYTES];

	put_dir(dir, "run/socle");
	put_text(dir, "etc/socle/policy", "# ours\nverity=optional\nsignature=required\n");
	memset(program, 'x', sizeof(program));
	memcpy(program + sizeof(program) - 4, "end\n", 4);
	put_bytes(dir, "socle-volume", program, sizeof(program));
}

static void test_without_a_policy(void **state)
{
	(void)state;
	run_in(fill_nothing_packed, false, false);
	expect_success("policy", result->r, &result->e);
	assert_int_equal(result->run_policy.mode, S_IFREG | 0444);
	assert_string_equal(result->run_policy.text, "verity=required\n");
	assert_string_equal(result->log, "mkdir /run/socle 0755\n");
	assert_int_equal(result->program.mode, 0);
	/* and what reads it takes it */
	assert_int_equal(result->policy_r, 0);
	assert_true(result->policy_found);
	assert_false(result->policy.verity_optional);
}

static void test_packed(void **state)
{
	(void)state;
	run_in(fill_packed, true, false);
	expect_success("packed", result->r, &result->e);
	assert_int_equal(result->run_policy.mode, S_IFREG | 0444);
	assert_string_equal(result->run_policy.text,
			    "# ours\nverity=optional\nsignature=required\n");
	assert_int_equal(result->policy_r, 0);
	assert_true(result->policy.verity_optional);
	assert_true(result->policy.signature_required);
	assert_int_equal(result->program.mode, S_IFREG | 0755);
	assert_int_equal(result->program.size, PROGRAM_BYTES);
	assert_string_equal(result->program.text + 56, "end\n");
}

static void test_in_place(void **state)
{
	(void)state;
	run_in(fill_packed, true, true);
	expect_success("link", result->r, &result->e);
	assert_string_equal(result->log, "mkdir /run/socle 0755\n"
					 "symlink /socle-volume /run/socle/socle-volume\n");
}

static void test_not_packed(void **state)
{
	(void)state;
	for (int stays = 0; stays < 2; stays++) {
		run_in(fill_nothing_packed, true, stays);
		expect_failure("program", result->r, &result->e, FAIL_PROGRAM_MISSING,
			       "socle.volumes=yes, and the initramfs has no /socle-volume");
	}
}

static void fill_policy_there(int dir)
{
	put_text(dir, "run/socle/policy", "verity=optional\n");
}

static void fill_program_there(int dir)
{
	fill_packed(dir);
	put_text(dir, "run/socle/socle-volume", "another");
}

static void fill_directory_for_policy(int dir)
{
	put_dir(dir, "run/socle");
	put_dir(dir, "etc/socle/policy");
}

static void fill_directory_for_program(int dir)
{
	put_dir(dir, "run/socle");
	put_dir(dir, "socle-volume");
}

static void fill_no_run(int dir)
{
	(void)dir;
}

/* What is there already, or cannot be read, is no reason to go on with less. */
static void test_refused(void **state)
{
	static const struct {
		void (*fill)(int dir);
		const char *words;
	} rows[] = {
		{ fill_policy_there, "create /run/socle/policy: File exists" },
		{ fill_program_there, "create /run/socle/socle-volume: File exists" },
		{ fill_directory_for_policy, "write /run/socle/policy" },
		{ fill_directory_for_program, "write /run/socle/socle-volume" },
		{ fill_no_run, "create /run/socle/policy: No such file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run_in(rows[i].fill, true, false);
		expect_failure(rows[i].words, result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
			       rows[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_policy), cmocka_unit_test(test_packed),
		cmocka_unit_test(test_in_place),         cmocka_unit_test(test_not_packed),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
