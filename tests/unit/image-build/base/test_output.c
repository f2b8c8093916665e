// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image-build/base/jobs.h"
#include "image-build/bundle/image_json.h"
#include "image-build/base/output.h"
#include "image-build/base/identify.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/io.h"
#include "verity/params.h"

static size_t files_in(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void make(const struct temp *t, struct output *o)
{
	struct err e = { .text = "" };
	char path[96];

	snprintf(path, sizeof(path), "%s/file", t->path);
	expect_success("create", output_create(o, path, &e), &e);
	assert_int_equal(write_all(o->fd, "new", 3), 0);
}

/* Until it is committed, the old file is what everybody sees; then the new one. */
static void test_commit(void **state)
{
	struct err e = { .text = "" };
	size_t fds = open_fds();
	char text[8] = "";
	struct output o;
	struct temp t;
	struct stat st;
	mode_t mask = umask(027);
	int fd;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "file", "old");
	make(&t, &o);
	assert_int_equal(files_in(t.path), 2);
	fd = openat(t.fd, "file", O_RDONLY);
	assert_int_equal(io_read(fd, text, 7), 3);
	assert_string_equal(text, "old");
	close(fd);
	expect_success("commit", output_commit(&o, &e), &e);
	assert_int_equal(files_in(t.path), 1);
	fd = openat(t.fd, "file", O_RDONLY);
	assert_int_equal(io_read(fd, text, 7), 3);
	assert_string_equal(text, "new");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	close(fd);
	output_discard(&o);
	assert_int_equal(files_in(t.path), 1);
	umask(mask);
	temp_remove(&t);
	assert_int_equal(open_fds(), fds);
}

static void test_discard(void **state)
{
	struct err e = { .text = "" };
	struct output o, second;
	struct temp t;
	char path[96];
	int fd;

	(void)state;
	temp_make(&t);
	make(&t, &o);
	output_discard(&o);
	assert_int_equal(files_in(t.path), 0);
	make(&t, &o);
	make(&t, &second);
	output_discard_all();
	assert_int_equal(files_in(t.path), 0);
	close(o.fd);
	close(second.fd);
	/* What cannot be renamed is taken back. */
	snprintf(path, sizeof(path), "%s/file", t.path);
	make(&t, &o);
	put_dir(t.fd, "file/below");
	expect_failure("commit", output_commit(&o, &e), &e, FAIL_SYSTEM_CALL_FAILED, "rename");
	assert_int_equal(files_in(t.path), 1);
	expect_failure("there", output_create(&o, path, &e), &e, FAIL_VALUE_INVALID,
		       "is not a regular file");
	expect_failure("create", output_create(&o, "/proc/nowhere/file", &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "/proc/nowhere/file");
	fd = output_scratch(t.path, &e);
	assert_true(fd >= 0);
	assert_int_equal(files_in(t.path), 1);
	close(fd);
	temp_remove(&t);
}

/* A signal in the middle leaves neither file nor child. */
static void test_signal(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct temp t;

	(void)state;
	temp_make(&t);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int ready[2], status;
		pid_t pid, grandchild = 0;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			struct output o;
			pid_t child;

			output_catch_signals();
			make(&t, &o);
			child = fork();
			if (child == 0) {
				output_in_child();
				close(ready[1]);
				pause();
			}
			output_child_started(child);
			(void)!write(ready[1], &child, sizeof(child));
			for (;;)
				pause();
		}
		assert_int_equal(io_read(ready[0], &grandchild, sizeof(grandchild)),
				 sizeof(grandchild));
		assert_int_equal(files_in(t.path), 1);
		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		assert_int_equal(files_in(t.path), 0);
		for (int tries = 0; tries < 500 && kill(grandchild, 0) == 0; tries++)
			usleep(10000);
		close(ready[0]);
		close(ready[1]);
	}
	temp_remove(&t);
}

static int job(void *context, size_t index, struct err *e)
{
	size_t *done = context;

	if (index == 3)
		return refuse(e, "job 3");
	done[index] = index + 1;
	return 0;
}

static void test_jobs(void **state)
{
	_Atomic uint64_t *bytes = jobs_shared(sizeof(*bytes));
	size_t *done = jobs_shared(8 * sizeof(*done));
	struct err e = { .text = "" };
	struct progress p;

	(void)state;
	progress_start(&p, "test", 0, bytes);
	expect_success("children", jobs_in_children(3, job, done, &p, &e), &e);
	assert_true(done[0] == 1 && done[1] == 2 && done[2] == 3);
	expect_success("threads", jobs_in_threads(3, job, done, &p, &e), &e);
	expect_success("none", jobs_in_children(0, job, done, &p, &e), &e);
	expect_failure("refused", jobs_in_children(5, job, done, &p, &e), &e, FAIL_VALUE_INVALID,
		       "job 3");
	expect_failure("refused", jobs_in_threads(5, job, done, &p, &e), &e, FAIL_VALUE_INVALID,
		       "job 3");
}

static int die(void *context, size_t index, struct err *e)
{
	(void)context;
	(void)index;
	(void)e;
	raise(SIGKILL);
	return 0;
}

static void test_killed_job(void **state)
{
	_Atomic uint64_t *bytes = jobs_shared(sizeof(*bytes));
	struct err e = { .text = "" };
	struct progress p;

	(void)state;
	progress_start(&p, "test", 0, bytes);
	expect_failure("killed", jobs_in_children(2, die, NULL, &p, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "signal 9");
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

/* The guest's own parser reads what is written for it, and comes to the same parameters. */
static void test_layer_text(void **state)
{
	struct verity_params written, *v = &written, read;
	struct err e = { .text = "" };
	char *text, *at, *pair;

	(void)state;
	for (int unusual = 0; unusual < 2; unusual++) {
		verity_params_init(v);
		v->data_blocks = 129;
		v->salt_size = 2;
		v->salt[0] = 0xab;
		v->root_hash_size = 32;
		v->root_hash[31] = 7;
		v->hash_start_block = 130;
		if (unusual) {
			v->data_block_size = 512;
			v->hash_block_size = 1024;
			v->hash_start_block = 400;
			v->salt_size = 0;
		}
		text = image_layer_text("SERIAL=0123456789ab", v);
		assert_int_equal(strncmp(text, "SERIAL=0123456789ab,", 20), 0);
		assert_true(!strstr(text, "salt=") == !!unusual);
		assert_true(!strstr(text, "hash_start=") == !unusual);
		assert_true(!strstr(text, "data_block_size=") == !unusual);
		verity_params_init(&read);
		at = strchr(text, ',') + 1;
		while ((pair = strsep(&at, ","))) {
			char *value = strchr(pair, '=');

			*value++ = '\0';
			expect_success(pair, verity_params_set(&read, pair, value, &e), &e);
		}
		expect_success("finish", verity_params_finish(&read, true, &e), &e);
		assert_int_equal(read.hash_start_block, v->hash_start_block);
		assert_int_equal(read.data_blocks, v->data_blocks);
		assert_int_equal(read.salt_size, v->salt_size);
		assert_int_equal(read.hash_block_size, v->hash_block_size);
		assert_memory_equal(read.root_hash, v->root_hash, v->root_hash_size);
		free(text);
	}
}

static void test_probe(void **state)
{
	static const struct {
		enum image_kind kind;
		size_t offset;
		const char *magic;
		size_t size;
	} magics[] = {
		{ IMAGE_EROFS, 1024, "\xe2\xe1\xf5\xe0", 4 },
		{ IMAGE_EXT4, 1080, "\x53\xef", 2 },
		{ IMAGE_SQUASHFS, 0, "hsqs", 4 },
		{ IMAGE_XFS, 0, "XFSB", 4 },
		{ IMAGE_GPT, 512, "EFI PART", 8 },
		{ IMAGE_GPT, 4096, "EFI PART", 8 },
		{ IMAGE_MBR, 510, "\x55\xaa", 2 },
		{ IMAGE_CPIO, 0, "07070", 5 },
		{ IMAGE_TAR, 257, "ustar", 5 },
		{ IMAGE_GZIP, 0, "\x1f\x8b", 2 },
		{ IMAGE_UNKNOWN, 0, "", 0 },
	};
	uint8_t bytes[PROBE_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes + magics[i].offset, magics[i].magic, magics[i].size);
		assert_int_equal(probe_kind(bytes, sizeof(bytes)), magics[i].kind);
		/* Cut before its end, it is not seen. */
		if (magics[i].size)
			assert_int_not_equal(probe_kind(bytes,
							magics[i].offset + magics[i].size - 1),
					     magics[i].kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),     cmocka_unit_test(test_discard),
		cmocka_unit_test(test_signal),     cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_killed_job), cmocka_unit_test(test_layer_text),
		cmocka_unit_test(test_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
