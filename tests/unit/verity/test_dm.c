// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What device-mapper is asked, and what is made of its answers. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tests/unit/fake_dm.h"
#include "tests/unit/fake_sys.h"
#include "verity/dm.h"

static const struct dm_target crypt = {
	.sectors = 8192,
	.type = "crypt",
	.line = "aes-xts-plain64 00 0 254:0 0",
};

static void test_open(void **state)
{
	struct dm_state s;
	dev_t number = 0;

	(void)state;
	(void)fake_dm_reset(0);
	assert_int_equal(dm_open("scratch", "u", &crypt, &number), 0);
	assert_string_equal(fake_sys.log,
			    "dm_create scratch u\n"
			    "dm_load scratch rw 8192 crypt aes-xts-plain64 00 0 254:0 0\n"
			    "dm_resume scratch\n");
	assert_int_equal(number, makedev(253, 8));
	/* the load, with its key, is wiped on the kernel's side as well */
	assert_int_equal(fake_dm.wiped, 1);
	assert_int_equal(dm_state("scratch", &s), 1);
	assert_int_equal(s.number, number);
	assert_true(s.live && !s.loaded && !s.suspended && !s.read_only && !s.deferred);
	assert_int_equal(dm_open("scratch", NULL, &crypt, NULL), -EBUSY);
	assert_non_null(fake_dm_find("scratch"));
}

/* Whatever fails, nothing is left of it. */
static void test_each_call_of_open_fails(void **state)
{
	(void)state;
	for (unsigned int call = 1; call <= 3; call++) {
		dev_t number = 77;

		(void)fake_dm_reset(call);
		assert_int_equal(dm_open("scratch", NULL, &crypt, &number), -EIO);
		assert_int_equal(number, 77);
		assert_null(fake_dm_find("scratch"));
		assert_int_equal(fake_sys.calls, call == 1 ? 1 : call + 1);
	}
}

/* The steps one by one, as a crash between them leaves a device. */
static void test_half_open(void **state)
{
	struct dm_state s;

	(void)state;
	(void)fake_dm_reset(0);
	assert_int_equal(dm_create("half", NULL, NULL), 0);
	assert_int_equal(dm_state("half", &s), 1);
	assert_true(!s.live && !s.loaded && s.suspended);
	assert_int_equal(dm_resume("half"), -EINVAL);
	assert_int_equal(dm_load("half", &crypt), 0);
	assert_int_equal(dm_state("half", &s), 1);
	assert_true(!s.live && s.loaded);
	assert_int_equal(dm_remove("half"), 0);
	assert_int_equal(dm_state("half", &s), 0);
	assert_int_equal(dm_load("half", &crypt), -ENXIO);
	assert_int_equal(dm_resume("half"), -ENXIO);
	assert_int_equal(dm_remove("half"), -ENXIO);
}

/* A signal ends the wait, and the table still waits to be swapped in. */
static void test_resume_is_interrupted(void **state)
{
	(void)state;
	(void)fake_dm_reset(0);
	fake_dm.interrupts = 3;
	assert_int_equal(dm_resume(FAKE_DM_NAME), 0);
	assert_int_equal(fake_sys.calls, 4);
}

static void test_remove(void **state)
{
	struct dm_state s;

	(void)state;
	(void)fake_dm_reset(0);
	fake_dm_first->open_count = 1;
	assert_int_equal(dm_remove(FAKE_DM_NAME), -EBUSY);
	assert_int_equal(dm_remove_deferred(FAKE_DM_NAME), 0);
	assert_int_equal(dm_state(FAKE_DM_NAME, &s), 1);
	assert_true(s.deferred);
	assert_int_equal(s.open_count, 1);
	fake_dm_first->open_count = 0;
	assert_int_equal(dm_remove_deferred(FAKE_DM_NAME), 0);
	assert_null(fake_dm_find(FAKE_DM_NAME));
}

static void test_lines(void **state)
{
	char line[DM_LINE_SIZE], longest[DM_LINE_SIZE];
	uint64_t sectors = 0;

	(void)state;
	(void)fake_dm_reset(0);
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(line), &sectors), 0);
	assert_string_equal(line, FAKE_DM_LINE);
	assert_int_equal(sectors, 4096);
	assert_int_equal(dm_status(FAKE_DM_NAME, "verity", line, sizeof(line)), 0);
	assert_string_equal(line, "V");
	assert_string_equal(fake_sys.log, "dm_table socle-layer-0\ndm_status socle-layer-0\n");
	assert_int_equal(fake_dm.wiped, 2);
	/* another target, or more than one, or none */
	assert_int_equal(dm_table(FAKE_DM_NAME, "verit", line, sizeof(line), NULL), -ENODATA);
	assert_int_equal(dm_status(FAKE_DM_NAME, "linear", line, sizeof(line)), -ENODATA);
	fake_dm_first->live.targets = 2;
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(line), NULL), -ENODATA);
	assert_int_equal(dm_create("none", NULL, NULL), 0);
	assert_int_equal(dm_table("none", "verity", line, sizeof(line), NULL), -ENODATA);
	/* what does not fit, here or on the way */
	(void)fake_dm_reset(0);
	strcpy(line, "V");
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(FAKE_DM_LINE) - 1, &sectors),
			 -E2BIG);
	assert_string_equal(line, "V");
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(FAKE_DM_LINE), NULL), 0);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	strcpy(fake_dm_first->live.line, longest);
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(line), NULL), -E2BIG);
	fake_dm_first->live.line[sizeof(longest) - 2] = '\0';
	assert_int_equal(dm_table(FAKE_DM_NAME, "verity", line, sizeof(line), NULL), 0);
}

/* What is no name, or too long, never reaches the kernel. */
static void test_limits(void **state)
{
	char name[DM_NAME_SIZE + 1], line[DM_LINE_SIZE + 1], uuid[130];
	struct dm_target t = crypt;
	struct dm_state s;

	(void)state;
	(void)fake_dm_reset(0);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(line, 'l', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	memset(uuid, 'u', sizeof(uuid) - 1);
	uuid[sizeof(uuid) - 1] = '\0';
	for (int i = 0; i < 2; i++) {
		const char *bad = i ? name : "";
		int r = i ? -ENAMETOOLONG : -EINVAL;

		assert_int_equal(dm_open(bad, NULL, &crypt, NULL), r);
		assert_int_equal(dm_load(bad, &crypt), r);
		assert_int_equal(dm_resume(bad), r);
		assert_int_equal(dm_remove(bad), r);
		assert_int_equal(dm_remove_deferred(bad), r);
		assert_int_equal(dm_state(bad, &s), r);
		assert_int_equal(dm_status(bad, "verity", line, sizeof(line)), r);
	}
	assert_int_equal(dm_create("x", uuid, NULL), -ENAMETOOLONG);
	t.line = line;
	assert_int_equal(dm_load(FAKE_DM_NAME, &t), -E2BIG);
	t.type = "a-type-of-16-byt";
	t.line = "";
	assert_int_equal(dm_load(FAKE_DM_NAME, &t), -E2BIG);
	assert_int_equal(fake_sys.calls, 0);
	/* and all but one byte of it does */
	name[DM_NAME_SIZE - 1] = uuid[128] = line[DM_LINE_SIZE - 1] = '\0';
	t = crypt;
	t.line = line;
	assert_int_equal(dm_open(name, uuid, &t, NULL), 0);
	assert_string_equal(fake_dm_find(name)->live.line, line);
	assert_string_equal(fake_dm_find(name)->uuid, uuid);
}

struct seen {
	unsigned int count, stop_at;
	char names[4096];
	dev_t last;
};

static int see(void *context, const char *name, dev_t number)
{
	struct seen *s = context;

	s->last = number;
	if (s->count < 8)
		sprintf(s->names + strlen(s->names), "%s ", name);
	/* anything may be done to a device of the list */
	assert_int_equal(dm_remove(name), 0);
	return ++s->count == s->stop_at ? 5 : 0;
}

static void test_list(void **state)
{
	struct seen s = { 0 };
	char name[128];

	(void)state;
	for (int all = 0; all < 2; all++) {
		(void)fake_dm_reset(0);
		fake_dm.no_prefixes = all;
		assert_int_equal(dm_create("socle.1.0", NULL, NULL), 0);
		assert_int_equal(dm_create("socle.2.0", NULL, NULL), 0);
		assert_int_equal(dm_create("socle.1.1", NULL, NULL), 0);
		s = (struct seen){ 0 };
		assert_int_equal(dm_each_device("socle.1.", see, &s), 0);
		assert_string_equal(s.names, "socle.1.0 socle.1.1 ");
		assert_int_equal(s.last, makedev(253, 10));
		s = (struct seen){ 0 };
		assert_int_equal(dm_each_device("socle.1.", see, &s), 0);
		assert_int_equal(s.count, 0);
		s = (struct seen){ .stop_at = 1 };
		assert_int_equal(dm_each_device("", see, &s), 5);
		assert_string_equal(s.names, "socle-layer-0 ");
	}
	(void)fake_dm_reset(1);
	assert_int_equal(dm_each_device("", see, &s), -EIO);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)fake_dm_reset(0);
	s = (struct seen){ 0 };
	assert_int_equal(dm_each_device(name, see, &s), 0);
	assert_int_equal(s.count, 0);
}

/* More than one page of them, and more than one try. */
static void test_long_list(void **state)
{
	struct seen s = { 0 };

	(void)state;
	(void)fake_dm_reset(0);
	for (unsigned int i = 1; i < FAKE_DM_DEVICES_MAX; i++) {
		char name[128];

		snprintf(name, sizeof(name), "%0127u", i);
		assert_int_equal(dm_create(name, NULL, NULL), 0);
	}
	assert_int_equal(dm_each_device("0", see, &s), 0);
	assert_int_equal(s.count, FAKE_DM_DEVICES_MAX - 1);
	assert_int_equal(s.last, makedev(253, 7 + FAKE_DM_DEVICES_MAX - 1));
	assert_non_null(fake_dm_find(FAKE_DM_NAME));
}

static void test_versions(void **state)
{
	unsigned int version[3] = { 9, 9, 9 };

	(void)state;
	(void)fake_dm_reset(0);
	assert_int_equal(dm_target_version("crypt", version), 0);
	assert_int_equal(version[0], 9);
	assert_int_equal(dm_target_version("verity", version), 1);
	assert_int_equal(version[0], 1);
	assert_int_equal(version[1], 1);
	assert_int_equal(version[2], 3);
	(void)fake_dm_reset(1);
	assert_int_equal(dm_target_version("verity", version), -EIO);
}

/* --- threads ------------------------------------------------------------------------ */

#define THREADS 8

static void *open_and_close(void *context)
{
	const unsigned int *thread = context;

	for (unsigned int i = 0; i < 20; i++) {
		struct dm_target t = { .sectors = *thread * 100 + i, .type = "linear" };
		char name[32], line[32], found[64];
		uint64_t sectors;
		dev_t number;
		struct dm_state s;

		snprintf(name, sizeof(name), "thread-%u-%u", *thread, i);
		snprintf(line, sizeof(line), "254:%u %u", *thread, i);
		t.line = line;
		if (dm_open(name, NULL, &t, &number) || dm_state(name, &s) != 1 ||
		    s.number != number ||
		    dm_table(name, "linear", found, sizeof(found), &sectors) ||
		    strcmp(found, line) || sectors != t.sectors || dm_remove(name))
			return context;
	}
	return NULL;
}

/* Each gets what is about its own device, whatever the others do. */
static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	unsigned int number[THREADS];

	(void)state;
	(void)fake_dm_reset(0);
	for (unsigned int i = 0; i < THREADS; i++) {
		number[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &number[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),      cmocka_unit_test(test_each_call_of_open_fails),
		cmocka_unit_test(test_half_open), cmocka_unit_test(test_resume_is_interrupted),
		cmocka_unit_test(test_remove),    cmocka_unit_test(test_lines),
		cmocka_unit_test(test_limits),    cmocka_unit_test(test_list),
		cmocka_unit_test(test_long_list), cmocka_unit_test(test_versions),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
