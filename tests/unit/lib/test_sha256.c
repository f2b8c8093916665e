// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* How the kernel is asked for a hash; what it answers, boots show. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/sha256.h"

/* The calls of a kernel's that may have no hashes: these win over libc's. */
static struct {
	int socket_errno, bind_errno, accept_errno, send_errno;
	unsigned int interrupted, short_by;
	size_t answer; /* bytes */
	char sent[70000];
	size_t used, calls;
	bool ended; /* by a send without MSG_MORE */
} kernel;

static int fails(int errnum)
{
	errno = errnum;
	return errnum ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int socket(int family, int type, int protocol)
{
	assert_int_equal(family, AF_ALG);
	assert_int_equal(type, SOCK_SEQPACKET | SOCK_CLOEXEC);
	assert_int_equal(protocol, 0);
	return fails(kernel.socket_errno);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_alg *alg = (const void *)address;

	assert_true(fd > STDERR_FILENO);
	assert_int_equal(size, sizeof(*alg));
	assert_string_equal((const char *)alg->salg_type, "hash");
	assert_string_equal((const char *)alg->salg_name, "sha256");
	errno = kernel.bind_errno;
	return errno ? -1 : 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	(void)fd;
	assert_null(address);
	assert_null(size);
	assert_int_equal(flags, SOCK_CLOEXEC);
	return fails(kernel.accept_errno);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
	(void)fd;
	kernel.calls++;
	assert_false(kernel.ended);
	if (kernel.interrupted) {
		kernel.interrupted--;
		errno = EINTR;
		return -1;
	}
	if (kernel.send_errno) {
		errno = kernel.send_errno;
		return -1;
	}
	size -= kernel.short_by;
	assert_true(size <= 16384 && kernel.used + size <= sizeof(kernel.sent));
	memcpy(kernel.sent + kernel.used, data, size);
	kernel.used += size;
	kernel.ended = flags == 0;
	assert_true(flags == 0 || flags == MSG_MORE);
	return (ssize_t)size;
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
	(void)fd;
	(void)flags;
	assert_int_equal(size, SHA256_SIZE);
	memset(data, 0x5a, kernel.answer);
	return (ssize_t)kernel.answer;
}

static int setup(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.answer = SHA256_SIZE;
	return 0;
}

static void test_chunks(void **state)
{
	static const struct {
		size_t size, calls;
	} rows[] = {
		{ 1, 1 }, { 16383, 1 }, { 16384, 1 }, { 16385, 2 }, { 65536, 4 }, { 65537, 5 }
	};
	static uint8_t data[65537];
	uint8_t digest[SHA256_SIZE + 1];
	size_t fds = open_fds();

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		(void)setup(state);
		memset(digest, 0, sizeof(digest));
		kernel.interrupted = 2;
		assert_int_equal(sha256(data, rows[i].size, digest), 0);
		assert_int_equal(kernel.calls, rows[i].calls + 2);
		assert_int_equal(kernel.used, rows[i].size);
		assert_memory_equal(kernel.sent, data, rows[i].size);
		assert_true(kernel.ended);
		assert_int_equal(digest[0], 0x5a);
		assert_int_equal(digest[SHA256_SIZE - 1], 0x5a);
		assert_int_equal(digest[SHA256_SIZE], 0);
		assert_int_equal(open_fds(), fds);
	}
}

static void expect(int r)
{
	uint8_t digest[SHA256_SIZE];
	size_t fds = open_fds();

	assert_int_equal(sha256("data", 4, digest), r);
	assert_int_equal(open_fds(), fds);
	(void)setup(NULL);
}

static void test_failures(void **state)
{
	(void)state;
	kernel.socket_errno = EAFNOSUPPORT;
	expect(-EAFNOSUPPORT);
	kernel.bind_errno = ENOENT;
	expect(-ENOENT);
	kernel.accept_errno = EMFILE;
	expect(-EMFILE);
	kernel.send_errno = ENOMEM;
	expect(-ENOMEM);
	kernel.short_by = 1;
	expect(-EIO);
	kernel.answer = SHA256_SIZE - 1;
	expect(-EIO);
	expect(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_chunks, setup),
		cmocka_unit_test_setup(test_failures, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
