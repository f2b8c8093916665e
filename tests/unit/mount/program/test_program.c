// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What socle-volume makes of its arguments, and what of an answer; the library is the test's. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/io.h"
#include "mount/program/limited.h"
#include "mount/program/program.h"

#define TEXT_SIZE 4096

/* --- the library ------------------------------------------------------------------- */

/* The request, in words; of all processes, as the library is called in one of its own. */
static char *asked;
static const char *answer; /* the code of a failure; NULL: none */
static const char *answer_volume = "volume-1";

/* How far /hangs and the others come, and how long a step takes. */
#define VERIFY_STEP_MS 300
static int verify_mib;

static void sleep_ms(long ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	(void)nanosleep(&wait, NULL);
}

static int answered(struct socle_error *error)
{
	if (!answer)
		return 0;
	memset(error, 0, sizeof(*error));
	snprintf(error->code, sizeof(error->code), "%s", answer);
	strcpy(error->step, "verity");
	strcpy(error->volume, answer_volume);
	strcpy(error->text, "a \"quoted\" reason");
	return -EIO;
}

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static void note(const struct socle_request *r, const char *target)
{
	size_t used = (size_t)snprintf(asked, TEXT_SIZE, "%s %.20s (%zu) to %s upper %s on %s %d",
				       or_none(r->form), r->description, r->description_size,
				       or_none(target), or_none(r->upper),
				       or_none(r->on_corruption), r->timeout_ms);

	for (size_t i = 0; i < r->option_count; i++)
		used += (size_t)snprintf(asked + used, TEXT_SIZE - used, "; %u %s %s%s",
					 r->options[i].number, or_none(r->options[i].device),
					 or_none(r->options[i].sidecar),
					 r->options[i].allow_unverified ? " unverified" : "");
	for (size_t i = 0; i < r->directory_count; i++)
		used += (size_t)snprintf(asked + used, TEXT_SIZE - used, "; %s", r->directories[i]);
}

int socle_mount(const struct socle_request *request, const char *target, struct socle_error *error)
{
	note(request, target);
	return answered(error);
}

int socle_umount(const char *target, unsigned int *ret_deferred, struct socle_error *error)
{
	snprintf(asked, TEXT_SIZE, "umount %s", target);
	*ret_deferred = !strcmp(target, "/busy") ? 1 : !strcmp(target, "/busier") ? 2 : 0;
	return answered(error);
}

int socle_verify(const char *target, int (*progress)(uint64_t, uint64_t, void *), void *data,
		 struct socle_error *error)
{
	snprintf(asked, TEXT_SIZE, "verify %s", target);
	for (int mib = 0; mib < verify_mib; mib++) {
		sleep_ms(VERIFY_STEP_MS);
		if (progress((uint64_t)mib + 1, (uint64_t)verify_mib, data))
			return -1;
	}
	/* A read that gets no answer. */
	if (!strcmp(target, "/hangs"))
		sleep_ms(20000);
	return answered(error);
}

int socle_list(int (*each)(const struct socle_mount_info *mount, void *data), void *data,
	       struct socle_error *error)
{
	const struct socle_layer_info layers[] = {
		{ "verified", "/dev/dm-1", "socle.0.1", "254:16", "aa", 'C', 4096 },
		{ "unverified", "/dev/dm-0", "socle.0.0", "", "", 0, 8192 },
	};
	const struct socle_mount_info mounts[] = {
		{ "/run/\"a\"", "0", 1, layers, ARRAY_SIZE(layers) },
		{ NULL, "1", 0, NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
		(void)each(&mounts[i], data);
	return answered(error);
}

/* Longer than what is offered at first. */
int socle_plan(const struct socle_request *request, int as_json, char *text, size_t size,
	       size_t *ret_length, struct socle_error *error)
{
	(void)as_json;
	note(request, NULL);
	*ret_length = 100000;
	if (size > 100000) {
		memset(text, 'p', 100000);
		text[100000] = '\0';
	}
	return answered(error);
}

const char *socle_version(void)
{
	return "0";
}

unsigned int socle_abi(void)
{
	return 0;
}

/* --- a run ----------------------------------------------------------------------------- */

static struct temp t;
static char out[200000], err[TEXT_SIZE];

static int in_file(const char *name, int fd)
{
	int file = openat(t.fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	assert_true(file >= 0 && kept >= 0 && dup2(file, fd) == fd);
	close(file);
	return kept;
}

static int run(const struct command *c, const char *const *args)
{
	char *argv[16] = { (char *)(uintptr_t)c->name };
	int argc = 1, status, kept_out, kept_err;

	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)args[argc - 1];
	asked[0] = '\0';
	optind = 0;
	(void)fflush(NULL);
	kept_out = in_file("out", STDOUT_FILENO);
	kept_err = in_file("err", STDERR_FILENO);
	status = c->run(argc, argv);
	assert_int_equal(dup2(kept_out, STDOUT_FILENO), STDOUT_FILENO);
	assert_int_equal(dup2(kept_err, STDERR_FILENO), STDERR_FILENO);
	close(kept_out);
	close(kept_err);
	assert_true(io_read_text(t.fd, "out", out, sizeof(out)) >= 0);
	assert_true(io_read_text(t.fd, "err", err, sizeof(err)) >= 0);
	return status;
}

#define RUN(command, ...) run(&command, (const char *const[]){ __VA_ARGS__, NULL })

static int setup(void **state)
{
	(void)state;
	answer = NULL;
	answer_volume = "volume-1";
	verify_mib = 0;
	temp_make(&t);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	temp_remove(&t);
	return 0;
}

/* --- what is asked ------------------------------------------------------------------- */

static void test_mount(void **state)
{
	char file[96], sidecar[112];

	(void)state;
	assert_int_equal(RUN(command_mount, "--target", "/t", "eyJ9"), PROGRAM_DONE);
	assert_string_equal(asked, "- eyJ9 (4) to /t upper - on - 0");
	assert_string_equal(out, "socle: mounted /t\n");
	assert_string_equal(err, "");

	put_text(t.fd, "description", "{\"a\":1}");
	put_text(t.fd, "numbers", "{}");
	snprintf(file, sizeof(file), "%s/description", t.path);
	snprintf(sidecar, sizeof(sidecar), "3=%s/numbers", t.path);
	assert_int_equal(RUN(command_mount, file, "--target", "/t", "--json", "--from", "socle",
			     "--sidecar", sidecar, "--upper=tmpfs", "--timeout", "7"),
			 PROGRAM_DONE);
	assert_string_equal(asked, "socle {\"a\":1} (7) to /t upper tmpfs on - 7000; 3 - {}");
	assert_string_equal(out, "{\"mounted\":\"/t\"}\n");
	assert_int_equal(RUN(command_mount, "--target", "/t", "--device", "0=SERIAL=a=b",
			     "--allow-unverified", "12", "--directory", "/a", "--directory=/b",
			     "--on-corruption", "eio", "x"),
			 PROGRAM_DONE);
	assert_string_equal(asked, "- x (1) to /t upper - on eio 0; 0 SERIAL=a=b -; "
				   "12 - - unverified; /a; /b");
}

static void test_standard_input(void **state)
{
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "from a pipe", 11), 11);
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(RUN(command_mount, "--target", "/t", "-"), PROGRAM_DONE);
	assert_string_equal(asked, "- from a pipe (11) to /t upper - on - 0");
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
}

static void test_dry_run(void **state)
{
	(void)state;
	assert_int_equal(RUN(command_mount, "--dry-run", "x"), PROGRAM_DONE);
	assert_int_equal(strlen(out), 100000);
	answer = "VERITY_MISSING";
	assert_int_equal(RUN(command_mount, "--dry-run", "x"), PROGRAM_REFUSED);
	assert_string_equal(out, "");
}

static void test_usage(void **state)
{
	static const char *const rows[][6] = {
		{ NULL },
		{ "x" },
		{ "--target", "/t" },
		{ "--target", "/t", "x", "y" },
		{ "--target", "/t", "--target", "/u", "x" },
		{ "--target", "/t", "--nonsense", "x" },
		{ "--target", "/t", "x", "--from" },
		{ "--target", "/t", "--device", "SERIAL=x", "x" },
		{ "--target", "/t", "--device", "384=/dev/vda", "x" },
		{ "--target", "/t", "--device", "0", "x" },
		{ "--target", "/t", "--allow-unverified", "all", "x" },
		{ "--target", "/t", "--allow-unverified", "-1", "x" },
		{ "--target", "/t", "--timeout", "0", "x" },
		{ "--target", "/t", "--timeout", "3601", "x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(run(&command_mount, rows[i]), PROGRAM_USAGE);
		assert_string_equal(asked, "");
		assert_string_equal(out, "");
		assert_non_null(strstr(err, "usage: socle-volume mount "));
	}
	assert_int_equal(RUN(command_umount, "--json"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_umount, "/a", "/b"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_verify, "/a", "/b"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_list, "/a"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_serve, "x"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_serve, "--timeout", "x"), PROGRAM_USAGE);
}

static void test_files_that_are_none(void **state)
{
	static char large[1048578];
	char file[96];

	(void)state;
	assert_int_equal(RUN(command_mount, "--target", "/t", "/absent/file"), PROGRAM_SYSTEM);
	assert_non_null(
		strstr(err, "step=describe volume=- code=SYSTEM_CALL_FAILED: open /absent"));
	memset(large, ' ', sizeof(large) - 1);
	put_bytes(t.fd, "large", large, sizeof(large) - 1);
	snprintf(file, sizeof(file), "%s/large", t.path);
	assert_int_equal(RUN(command_mount, "--target", "/t", file), PROGRAM_REFUSED);
	assert_non_null(strstr(err, "code=LIMIT_EXCEEDED: "));
	put_bytes(t.fd, "large", large, 1048576);
	assert_int_equal(RUN(command_mount, "--target", "/t", file), PROGRAM_DONE);
	put_bytes(t.fd, "nul", "{\0}", 3);
	snprintf(file, sizeof(file), "0=%s/nul", t.path);
	assert_int_equal(RUN(command_mount, "--target", "/t", "--sidecar", file, "x"),
			 PROGRAM_REFUSED);
	assert_non_null(strstr(err, "has a NUL in it"));
}

/* --- what is answered ------------------------------------------------------------------ */

static void test_statuses(void **state)
{
	static const struct {
		const char *code;
		int status;
	} rows[] = {
		{ "DESCRIPTION_INVALID", 2 }, { "DESCRIPTION_UNSUPPORTED", 2 },
		{ "VERITY_MISSING", 2 },      { "POLICY_REFUSED", 2 },
		{ "LIMIT_EXCEEDED", 2 },      { "DEVICE_NOT_FOUND", 3 },
		{ "ROOT_HASH_MISMATCH", 4 },  { "HASH_TREE_CORRUPT", 4 },
		{ "DATA_CORRUPT", 4 },        { "SYSTEM_CALL_FAILED", 5 },
		{ "MOUNT_FAILED", 5 },        { "KERNEL_FEATURE_MISSING", 5 },
		{ "TARGET_IN_USE", 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[128];

		answer = rows[i].code;
		assert_int_equal(RUN(command_mount, "--target", "/t", "x"), rows[i].status);
		snprintf(line, sizeof(line),
			 "socle: FAILED step=verity volume=volume-1 code=%s: a \"quoted\" reason\n",
			 answer);
		assert_string_equal(err, line);
		assert_string_equal(out, "");
		assert_int_equal(RUN(command_umount, "/t"), rows[i].status);
		assert_int_equal(RUN(command_verify, "/t"), rows[i].status);
		assert_int_equal(RUN(command_list, "--json"), rows[i].status);
	}
	/* with --json on both */
	assert_int_equal(RUN(command_mount, "--json", "--target", "/t", "x"), PROGRAM_IN_USE);
	assert_non_null(strstr(err, "code=TARGET_IN_USE"));
	assert_string_equal(out, "{\"error\":{\"code\":\"TARGET_IN_USE\",\"step\":\"verity\","
				 "\"volume\":\"volume-1\","
				 "\"message\":\"a \\\"quoted\\\" reason\"}}\n");
	answer_volume = "";
	assert_int_equal(RUN(command_mount, "--json", "--target", "/t", "x"), PROGRAM_IN_USE);
	assert_non_null(strstr(err, "volume=- "));
	assert_non_null(strstr(out, "\"volume\":null"));
}

static void test_umount_and_verify(void **state)
{
	(void)state;
	assert_int_equal(RUN(command_umount, "/t"), PROGRAM_DONE);
	assert_string_equal(out, "socle: unmounted\n");
	assert_int_equal(RUN(command_umount, "/busy"), PROGRAM_DONE);
	assert_non_null(strstr(out, "1 device is in use"));
	assert_int_equal(RUN(command_umount, "--json", "/busier"), PROGRAM_DONE);
	assert_string_equal(out, "{\"deferred\":2}\n");
	assert_int_equal(RUN(command_verify, "--json", "/t"), PROGRAM_DONE);
	assert_string_equal(out, "{\"verified\":true}\n");
	assert_string_equal(asked, "verify /t");
}

static void test_list(void **state)
{
	(void)state;
	assert_int_equal(RUN(command_list, NULL), PROGRAM_DONE);
	assert_string_equal(out, "/run/\"a\" writable\n"
				 "  C  /dev/dm-1    254:16   aa\n"
				 "  -  /dev/dm-0    -        unverified\n"
				 "(not mounted here) 1\n");
	assert_int_equal(RUN(command_list, "--json"), PROGRAM_DONE);
	assert_string_equal(
		out, "{\"mounts\":[{\"target\":\"/run/\\\"a\\\"\",\"id\":\"0\",\"writable\":true,"
		     "\"layers\":[{\"kind\":\"verified\",\"device\":\"/dev/"
		     "dm-1\",\"name\":\"socle.0.1\","
		     "\"data\":\"254:16\",\"root_hash\":\"aa\",\"status\":\"C\","
		     "\"size_bytes\":4096},{\"kind\":\"unverified\",\"device\":\"/dev/"
		     "dm-0\",\"name\":\"socle.0.0\","
		     "\"data\":null,\"root_hash\":null,\"status\":null,\"size_bytes\":8192}]},"
		     "{\"target\":null,\"id\":\"1\",\"writable\":false,\"layers\":[]}]}\n");
}

/* What cannot be said changes nothing of what was done. */
static void test_full_output(void **state)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10), full = open("/dev/full", O_WRONLY);
	char *argv[] = { (char *)(uintptr_t) "mount", (char *)(uintptr_t) "--target=/t",
			 (char *)(uintptr_t) "x", NULL };
	int done, closed;

	(void)state;
	if (full < 0)
		skip();
	(void)fflush(NULL);
	dup2(full, STDOUT_FILENO);
	close(full);
	optind = 0;
	done = command_mount.run(3, argv);
	close(STDOUT_FILENO);
	optind = 0;
	closed = command_mount.run(3, argv);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_int_equal(done, PROGRAM_DONE);
	assert_int_equal(closed, PROGRAM_DONE);
}

static void test_help(void **state)
{
	static const struct command *const commands[] = { &command_mount, &command_umount,
							  &command_list, &command_verify,
							  &command_serve };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		assert_int_equal(run(commands[i], (const char *const[]){ "--help", NULL }),
				 PROGRAM_DONE);
		assert_non_null(strstr(out, commands[i]->usage));
		assert_string_equal(asked, "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- a call with an end ---------------------------------------------------------------- */

static const char *done_file; /* what is there once a call has come to its end */

static void call_slow(const void *context, struct outcome *ret)
{
	const struct timespec wait = { .tv_nsec = *(const long *)context };

	(void)nanosleep(&wait, NULL);
	close(open(done_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	*ret = (struct outcome){ .result = -EBUSY, .deferred = 7, .error = { .text = "late" } };
}

static void call_dying(const void *context, struct outcome *ret)
{
	(void)context;
	(void)ret;
	_exit(0);
}

/* What is too late never goes on; what dies is not waited for. */
static void test_limit(void **state)
{
	const long slow = 300000000, fast = 1000000;
	struct outcome outcome;
	char file[96];

	(void)state;
	snprintf(file, sizeof(file), "%s/done", t.path);
	done_file = file;
	limited_call(call_slow, &slow, 50, NULL, "mounts", &outcome);
	assert_int_equal(outcome.result, -EIO);
	assert_string_equal(outcome.error.code, "SYSTEM_CALL_FAILED");
	assert_string_equal(outcome.error.step, "mounts");
	assert_non_null(strstr(outcome.error.text, "not done within 0 s"));
	sleep_ms(500);
	assert_int_equal(access(file, F_OK), -1);

	limited_call(call_slow, &fast, 20000, NULL, "mounts", &outcome);
	assert_int_equal(outcome.result, -EBUSY);
	assert_int_equal(outcome.deferred, 7);
	assert_string_equal(outcome.error.text, "late");
	assert_int_equal(access(file, F_OK), 0);

	limited_call(call_dying, NULL, 20000, NULL, "umount", &outcome);
	assert_int_equal(outcome.result, -EIO);
	assert_string_equal(outcome.error.step, "umount");
	assert_non_null(strstr(outcome.error.text, "without an answer"));
	/* None of them is left to be waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Killed with the program: what it was at does not go on behind its back. */
static void test_killed(void **state)
{
	const long slow = 300000000;
	struct outcome outcome;
	char file[96];
	pid_t pid;

	(void)state;
	snprintf(file, sizeof(file), "%s/done", t.path);
	done_file = file;
	pid = fork();
	if (!pid) {
		limited_call(call_slow, &slow, 20000, NULL, "mounts", &outcome);
		_exit(0);
	}
	sleep_ms(100);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sleep_ms(500);
	assert_int_equal(access(file, F_OK), -1);
}

/* A slow disk has the time that it takes; one that answers no more ends it. */
static void test_verify_limit(void **state)
{
	(void)state;
	verify_mib = 9;
	assert_int_equal(RUN(command_verify, "--timeout", "2", "/slow"), PROGRAM_DONE);
	assert_string_equal(out, "socle: every block matches\n");
	assert_string_equal(err, "");
	verify_mib = 2;
	assert_int_equal(RUN(command_verify, "--timeout", "2", "--json", "/hangs"), PROGRAM_SYSTEM);
	assert_string_equal(err, "socle: FAILED step=verify volume=- code=SYSTEM_CALL_FAILED: "
				 "nothing read for 2 s: a disk leaves reads without an answer\n");
	assert_non_null(strstr(out, "{\"error\":{\"code\":\"SYSTEM_CALL_FAILED\""));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(RUN(command_verify, "--timeout", "0", "/slow"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_verify, "--timeout", "1"), PROGRAM_USAGE);
	assert_int_equal(RUN(command_verify, "--nonsense", "/slow"), PROGRAM_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_mount),
		TEST(test_standard_input),
		TEST(test_dry_run),
		TEST(test_usage),
		TEST(test_files_that_are_none),
		TEST(test_statuses),
		TEST(test_umount_and_verify),
		TEST(test_list),
		TEST(test_full_output),
		TEST(test_help),
		TEST(test_limit),
		TEST(test_killed),
		TEST(test_verify_limit),
	};

	asked = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (asked == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
