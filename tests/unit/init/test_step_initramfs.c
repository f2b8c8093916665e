// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The host gives too little memory, and the kernel starts /init over a part of the initramfs. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/plan/marks.h"
#include "init/steps.h"
#include "tests/unit/fake_boot.h"

#define RECORDS 4

/* In the place of a record: what was due is gone, or cannot be read. */
#define LOST   "lost"
#define BROKEN "broken"

/* The C library's, but for these two. */
ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t n = syscall(SYS_read, fd, buf, size);

	if (n == strlen(LOST) && !memcmp(buf, LOST, strlen(LOST)))
		errno = EPIPE;
	else if (n == strlen(BROKEN) && !memcmp(buf, BROKEN, strlen(BROKEN)))
		errno = EINVAL;
	else
		return n;
	return -1;
}

/* What the guest finds; NULL: no such file. */
struct guest {
	const char *begun, *complete;
	const char *log[RECORDS]; /* of /dev/kmsg; none: the kernel has no log */
	unsigned int inodes_left;
	bool full;
};

static const struct guest *guest;

/* One record a read, as /dev/kmsg has it: a FIFO whose writer keeps packets apart. */
static void put_log(int dir)
{
	int fd;

	put_dir(dir, "dev");
	if (mkfifoat(dir, "dev/kmsg", 0600))
		fail_msg("mkfifo");
	fd = openat(dir, "dev/kmsg", O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_DIRECT | O_NONBLOCK), 0);
	for (size_t i = 0; i < RECORDS && guest->log[i]; i++)
		assert_int_equal(write(fd, guest->log[i], strlen(guest->log[i])),
				 strlen(guest->log[i]));
}

static void fill_guest(int dir)
{
	char path[32], options[32];

	put_text(dir, "proc/cmdline",
		 "socle.nonsense=1 socle.on_failure=panic socle.report=vsock:7\n");
	if (guest->begun)
		put_text(dir, &MARK_BEGUN[1], guest->begun);
	if (guest->complete)
		put_text(dir, &MARK_COMPLETE[1], guest->complete);
	if (guest->log[0])
		put_log(dir);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (guest->inodes_left && !guest->full)
		return;
	/* As many as there are. */
	for (unsigned int n = 1; n < 100; n++) {
		snprintf(options, sizeof(options), "mode=755,%s=%u",
			 guest->full ? "nr_blocks" : "nr_inodes", n);
		if (!mount(NULL, path, NULL, MS_REMOUNT, options))
			break;
	}
}

struct result {
	int r;
	struct err e;
	enum plan_on_failure how;
	unsigned int vsock_port;
};

static void run(void *shared)
{
	struct result *result = shared;

	result->r = step_initramfs(&boot, &result->e);
	result->how = boot.plan.failure.how;
	result->vsock_port = boot.plan.failure.vsock_port;
}

static void check(const char *label, const struct guest *g, const char *words)
{
	struct result *result = shared_memory(sizeof(*result));

	memset(result, 0, sizeof(*result));
	guest = g;
	if (in_own_root(fill_guest, run, result))
		skip();
	if (words)
		expect_failure(label, result->r, &result->e, FAIL_INITRAMFS_INCOMPLETE, words);
	else
		expect_success(label, result->r, &result->e);
}

#define FIRST "6,0,0,-;Linux version 6.12\n"
#define START "6,310,412000,-;Trying to unpack rootfs image as initramfs...\n"
#define LATER "6,300,400000,-;pci 0000:00:02.0: BAR 4\n SUBSYSTEM=pci\n"

#define LONG_MARK                                                                                  \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"         \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_marks(void **state)
{
	static const char missing[] = "/etc/socle/complete, is missing or another's; "
				      "give the guest more memory";
	static const struct {
		const char *label, *begun, *complete, *words;
	} rows[] = {
		{ "packed by others", NULL, NULL, NULL },
		{ "whole", "sha256:12\n", "sha256:12\n", NULL },
		{ "the last is missing", "sha256:12\n", NULL, missing },
		{ "the last is empty", "sha256:12\n", "", missing },
		{ "of an archive before this one", "sha256:12\n", "sha256:21\n", missing },
		{ "shorter", "sha256:12\n", "sha256:1\n", missing },
		{ "both empty", "", "", missing },
		{ "both too long", LONG_MARK, LONG_MARK, missing },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct guest g = { rows[i].begun, rows[i].complete, { NULL }, 9, false };
		const struct guest with_log = {
			rows[i].begun, rows[i].complete, { FIRST }, 9, false
		};

		check(rows[i].label, &g, rows[i].words);
		check(rows[i].label, &with_log, rows[i].words);
	}
}

static void test_kernel_log(void **state)
{
	static const struct {
		const char *log[RECORDS];
		const char *words; /* NULL: it is whole */
	} rows[] = {
		{ { FIRST, START, "6,311,1,-;Freeing initrd memory: 12K\n" }, NULL },
		{ { FIRST, START, "0,311,1,-;Initramfs unpacking failed: write error\n" },
		  "whole: Initramfs unpacking failed: write error; give the guest more memory" },
		{ { LATER, "0,1,1,-;Initramfs unpacking failed: junk within compressed archive\n" },
		  "junk within compressed archive" },
		{ { FIRST, "6,9,1,-;rootfs image is not initramfs (broken padding); looks like an "
			   "initrd\n" },
		  "broken padding" },
		{ { FIRST, "3,9,1,-;INITRD: 0x07f00000+0x00100000 is not a memory region\n" },
		  "not a memory region" },
		{ { FIRST, "2,9,1,-;initrd overwritten (0x1 < 0x2) - disabling it.\n" },
		  "initrd overwritten" },
		{ { FIRST, "4,9,1,-;initrd not fully accessible via the linear mapping\n" },
		  "not fully accessible" },
		/* said by the command line */
		{ { FIRST, "5,1,1,-;Command line: x=\"Initramfs unpacking failed: \"\n" }, NULL },
		{ { FIRST, "6,2,1,-;a\n MESSAGE=b;Initramfs unpacking failed: c\n" }, NULL },
		{ { FIRST, "Initramfs unpacking failed: not a record\n" }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct guest g = { NULL, NULL, { NULL }, 9, false };

		memcpy(g.log, rows[i].log, sizeof(g.log));
		check(rows[i].log[1], &g, rows[i].words);
		/* Ours may be whole, and what follows behind it lost. */
		g.begun = g.complete = "sha256:12\n";
		check(rows[i].log[1], &g, rows[i].words);
	}
}

/*
 * A log that runs over could have lost the word of it, also while it is read. Marks say
 * nothing of an archive behind ours.
 */
static void test_log_that_runs_over(void **state)
{
	static const char lost[] = "the kernel's log has lost its beginning";
	static const struct {
		const char *log[RECORDS];
		const char *words;
	} rows[] = {
		{ { LATER }, lost },
		{ { LATER, START }, NULL },
		{ { LATER, "6,310,1,-;Unpacking initramfs...\n" }, NULL },
		{ { FIRST, LOST, LATER }, lost },
		{ { LATER, START, LOST }, lost },
		{ { FIRST, LOST, START }, NULL },
		{ { FIRST, LOST, "0,9,1,-;Initramfs unpacking failed: write error\n" },
		  "write error" },
		{ { FIRST, BROKEN }, lost },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct guest g = { NULL, NULL, { NULL }, 9, false };

		memcpy(g.log, rows[i].log, sizeof(g.log));
		check(rows[i].log[1] ? rows[i].log[1] : "later", &g, rows[i].words);
		g.begun = g.complete = "sha256:12\n";
		check("marked", &g, rows[i].words);
	}
}

/* The command line is measured apart from the initramfs, and says how to fail. */
static void test_command_line_counts(void **state)
{
	static const struct guest g = { "sha256:12\n", NULL, { FIRST }, 9, false };
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	guest = &g;
	if (in_own_root(fill_guest, run, result))
		skip();
	assert_int_equal(result->how, PLAN_ON_FAILURE_PANIC);
	assert_int_equal(result->vsock_port, 7);
}

/* Without an inode the kernel drops a file, without a block a long link, and says nothing. */
static void test_no_room_left(void **state)
{
	static const struct guest g = { "sha256:12\n", "sha256:12\n", { FIRST }, 0, false };
	static const struct guest full = { NULL, NULL, { FIRST }, 9, true };

	(void)state;
	check("no inode", &g, "there is no inode left");
	check("no block", &full, "there is no block left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_kernel_log),
		cmocka_unit_test(test_log_that_runs_over),
		cmocka_unit_test(test_command_line_counts),
		cmocka_unit_test(test_no_room_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
