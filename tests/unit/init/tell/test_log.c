// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "init/tell/log.h"
#include "lib/io.h"

#define LIMIT_FILE "/proc/sys/kernel/printk_devkmsg"

static struct seen {
	char limit[3][32]; /* after it was lifted, put back and lifted again */
	char kmsg[4096], standard_error[4096];
} * seen;

static void fill(int dir)
{
	put_text(dir, "dev/kmsg", "");
	put_text(dir, "err", "");
	put_text(dir, "proc/sys/kernel/printk_devkmsg", "ratelimit\n");
}

static void fill_without_dev(int dir)
{
	put_text(dir, "err", "");
}

/* Files keep what a short text does not overwrite; the kernel's would not. */
static void look(const char *path, char *text, size_t size)
{
	if (io_read_text(AT_FDCWD, path, text, size) < 0)
		strcpy(text, "?");
}

static void run(void *shared)
{
	struct seen *s = shared;
	int err = open("/err", O_WRONLY | O_CLOEXEC);
	static char much[2 * LOG_LINE_SIZE];

	memset(much, 'x', sizeof(much) - 1);
	dup2(err, STDERR_FILENO);
	log_open();
	look(LIMIT_FILE, s->limit[0], sizeof(s->limit[0]));
	log_info("%d modules\n\033", 7);
	log_line("<0>", "as it is");
	log_limit_again();
	look(LIMIT_FILE, s->limit[1], sizeof(s->limit[1]));
	log_open();
	look(LIMIT_FILE, s->limit[2], sizeof(s->limit[2]));
	log_limit_again();
	log_info("%s", much);
	log_line("<1>", much);
	look("/dev/kmsg", s->kmsg, sizeof(s->kmsg));
	look("/err", s->standard_error, sizeof(s->standard_error));
}

static void in_root(void (*make)(int dir))
{
	if (!seen)
		seen = shared_memory(sizeof(*seen));
	memset(seen, 0, sizeof(*seen));
	if (in_own_root(make, run, seen))
		skip();
}

static void expect_start(const char *text, const char *start)
{
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
}

static void test_kmsg(void **state)
{
	const char *rest;

	(void)state;
	in_root(fill);
	expect_start(seen->limit[0], "on\n");
	assert_string_equal(seen->limit[1], "ratelimit\n");
	expect_start(seen->limit[2], "on\n");
	expect_start(seen->kmsg, "<6>socle: 7 modules??\n<0>as it is\n<6>socle: xxx");
	/* one record each, cut: it is never one without its end, nor two */
	rest = strchr(seen->kmsg + 40, '\n');
	assert_non_null(rest);
	assert_int_equal(rest - strstr(seen->kmsg, "<6>socle: x"), 3 + LOG_LINE_SIZE - 1);
	expect_start(rest + 1, "<1>xxx");
	assert_int_equal(strlen(rest + 1), LOG_LINE_SIZE + 8 - 1);
	assert_string_equal(seen->standard_error, "");
}

/* Before there is a /dev: without what only /dev/kmsg reads. */
static void test_standard_error(void **state)
{
	(void)state;
	in_root(fill_without_dev);
	expect_start(seen->standard_error, "socle: 7 modules??\nas it is\nsocle: xxx");
	assert_string_equal(seen->limit[0], "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kmsg),
		cmocka_unit_test(test_standard_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
