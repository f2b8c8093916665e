// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Where the bytes of a key are, and that they are there no longer. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "mount/scratch_key.h"
#include "tests/unit/fake_sys.h"

static struct {
	unsigned int asked, unseeded, waits;
	int errnum;
	ssize_t short_by;
	void *buffer;
	size_t wiped; /* bytes of that buffer */
	int flags;
} fake;

#define KEY_BYTE(i) ((unsigned char)(0x80 + (i)))

/* In the place of libc's. */
ssize_t getrandom(void *buffer, size_t size, unsigned int flags)
{
	fake.flags = (int)flags;
	if (fake.asked++ < fake.unseeded) {
		errno = fake.errnum;
		return -1;
	}
	fake.buffer = buffer;
	for (size_t i = 0; i < size; i++)
		((unsigned char *)buffer)[i] = KEY_BYTE(i);
	return (ssize_t)size - fake.short_by;
}

int nanosleep(const struct timespec *wait, struct timespec *left)
{
	(void)wait;
	(void)left;
	fake.waits++;
	return 0;
}

void explicit_bzero(void *buffer, size_t size)
{
	volatile unsigned char *at = buffer;

	if (buffer == fake.buffer)
		fake.wiped = size;
	while (size--)
		*at++ = 0;
}

static void reset(unsigned int fail_call, int fail_errno)
{
	memset(&fake, 0, sizeof(fake));
	fake_sys_reset(fail_call, fail_errno);
}

static void expect_no_key(const struct err *e)
{
	static const unsigned char start[] = { KEY_BYTE(0), KEY_BYTE(1), KEY_BYTE(2) };

	assert_null(memmem(e, sizeof(*e), start, sizeof(start)));
	assert_null(memmem(fake_sys.log, fake_sys.used, start, sizeof(start)));
	assert_null(strstr(e->text, "808182"));
}

static void test_added_and_wiped(void **state)
{
	struct err e = { 0 };
	int key = -1;

	(void)state;
	reset(0, 0);
	expect_success("key", scratch_key_add("socle:x", 64, &key, &e), &e);
	assert_int_equal(key, 78);
	assert_string_equal(fake_sys.log, "add_logon_key socle:x size=64\n");
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(fake_sys.key[i], KEY_BYTE(i));
	assert_int_equal(fake_sys.key[64], 0);
	assert_int_equal(fake.flags, GRND_NONBLOCK);
	assert_int_equal(fake.wiped, SCRATCH_KEY_MAX);
	assert_int_equal(fake.waits, 0);
	expect_no_key(&e);
	scratch_key_drop(key);
	assert_string_equal(fake_sys.log, "add_logon_key socle:x size=64\nrevoke_key 78\n"
					  "unlink_key 78\n");
}

static void test_kernel_takes_no_key(void **state)
{
	static const struct {
		int errnum;
		enum fail_code code;
		const char *words;
	} cases[] = {
		{ ENOSYS, FAIL_KERNEL_FEATURE_MISSING, "the kernel lacks CONFIG_KEYS" },
		{ ENODEV, FAIL_KERNEL_FEATURE_MISSING, "the kernel lacks CONFIG_KEYS" },
		{ EDQUOT, FAIL_SCRATCH_FAILED, "hand a key to the kernel" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		int key = -1;

		reset(1, cases[i].errnum);
		expect_failure(cases[i].words, scratch_key_add("socle:x", 96, &key, &e), &e,
			       cases[i].code, cases[i].words);
		assert_int_equal(key, -1);
		assert_int_equal(fake.wiped, SCRATCH_KEY_MAX);
		expect_no_key(&e);
	}
}

static void test_generator(void **state)
{
	struct err e = { 0 };
	unsigned char bytes[8] = { 0 };
	int key = -1;

	(void)state;
	/* It is seeded while it is waited for. */
	reset(0, 0);
	fake.unseeded = 499;
	fake.errnum = EAGAIN;
	expect_success("late", scratch_random(bytes, sizeof(bytes), &e), &e);
	assert_int_equal(bytes[7], KEY_BYTE(7));
	assert_int_equal(fake.waits, 499);
	/* It never is: there is no key, and no longer a wait. */
	reset(0, 0);
	fake.unseeded = 100000;
	fake.errnum = EAGAIN;
	expect_failure("never", scratch_key_add("socle:x", 64, &key, &e), &e, FAIL_SCRATCH_FAILED,
		       "random number generator is not seeded after 10 seconds");
	assert_int_equal(fake.asked, 500);
	assert_string_equal(fake_sys.log, "");
	/* Other failures are not waited for. */
	reset(0, 0);
	fake.unseeded = 100000;
	fake.errnum = ENOSYS;
	expect_failure("no call", scratch_random(bytes, sizeof(bytes), &e), &e, FAIL_SCRATCH_FAILED,
		       "get random bytes");
	assert_int_equal(fake.asked, 1);
	reset(0, 0);
	fake.short_by = 1;
	expect_failure("short", scratch_key_add("socle:x", 64, &key, &e), &e, FAIL_SCRATCH_FAILED,
		       "get random bytes");
	assert_int_equal(fake.wiped, SCRATCH_KEY_MAX);
	assert_string_equal(fake_sys.log, "");
	expect_no_key(&e);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_added_and_wiped),
		cmocka_unit_test(test_kernel_takes_no_key),
		cmocka_unit_test(test_generator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
