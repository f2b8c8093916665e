// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/scratch_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sys.h"

#define SEED_TRIES   500
#define SEED_WAIT_NS 20000000 /* between two */

/*
 * A machine that has nothing random to offer gathers it from its own timing only
 * while somebody waits: in a blocking getrandom(), which may wait for ever, or in a
 * read from here, which ends and is no more than that.
 */
static void help_seeding(void)
{
	auto_fd int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	uint8_t byte;

	if (fd >= 0)
		(void)io_read(fd, &byte, sizeof(byte));
}

int scratch_random(void *bytes, size_t size, struct err *e)
{
	static const struct timespec wait = { .tv_nsec = SEED_WAIT_NS };
	ssize_t n = -1;

	errno = EAGAIN;
	for (int i = 0; i < SEED_TRIES && n < 0 && (errno == EAGAIN || errno == EINTR); i++) {
		if (i) {
			help_seeding();
			nanosleep(&wait, NULL);
		}
		n = getrandom(bytes, size, GRND_NONBLOCK);
	}
	if (n < 0 && errno == EAGAIN)
		return err_set(
			e, FAIL_SCRATCH_FAILED, EAGAIN,
			"the kernel's random number generator is not seeded after %d seconds: "
			"there can be no key",
			(int)(SEED_TRIES * (SEED_WAIT_NS / 1000000) / 1000));
	if (n < 0)
		return err_errno(e, FAIL_SCRATCH_FAILED, "get random bytes");
	/* Up to 256 bytes come whole. */
	return (size_t)n == size ? 0 : err_result(e, FAIL_SCRATCH_FAILED, n, "get random bytes");
}

int scratch_key_add(const char *description, size_t size, int *ret_key, struct err *e)
{
	uint8_t bytes[SCRATCH_KEY_MAX];
	int key, r = scratch_random(bytes, size, e);

	if (!r) {
		key = sys_add_logon_key(description, bytes, size);
		if (key >= 0)
			*ret_key = key;
		else if (errno == ENOSYS || errno == ENODEV)
			r = err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENOSYS,
				    "the kernel lacks CONFIG_KEYS: it cannot keep a key");
		else
			r = err_errno(e, FAIL_SCRATCH_FAILED, "hand a key to the kernel");
	}
	explicit_bzero(bytes, sizeof(bytes));
	return r;
}

void scratch_key_drop(int key)
{
	/* The first one wipes it, and the other one takes the empty rest away. */
	(void)sys_revoke_key(key);
	(void)sys_unlink_key(key);
}
