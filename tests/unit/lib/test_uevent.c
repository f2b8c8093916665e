// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/uevent.h"

#define MESSAGE "add@/devices/x/block/vda\0ACTION=add\0DEVPATH=/devices/x/block/vda\0EMPTY=\0LAST=z"

static void make(struct uevent *u, const char *bytes, size_t size)
{
	memset(u, 0, sizeof(*u));
	memcpy(u->text, bytes, size);
	u->size = size;
}

static void test_get(void **state)
{
	static struct uevent u;

	(void)state;
	make(&u, MESSAGE, sizeof(MESSAGE) - 1);
	assert_string_equal(uevent_get(&u, "ACTION"), "add");
	assert_string_equal(uevent_get(&u, "DEVPATH"), "/devices/x/block/vda");
	assert_string_equal(uevent_get(&u, "EMPTY"), "");
	assert_string_equal(uevent_get(&u, "LAST"), "z"); /* no NUL of its own */
	assert_null(uevent_get(&u, "ACT"));
	assert_null(uevent_get(&u, "DEV"));
	assert_null(uevent_get(&u, "PATH"));
	assert_null(uevent_get(&u, "MAJOR"));
	make(&u, "", 0);
	assert_null(uevent_get(&u, "ACTION"));
	make(&u, "\0\0\0", 3);
	assert_null(uevent_get(&u, "ACTION"));
	make(&u, "ACTION", 6);
	assert_null(uevent_get(&u, "ACTION"));
}

static void test_longest_message(void **state)
{
	static struct uevent u;

	(void)state;
	memset(u.text, 'x', UEVENT_SIZE);
	u.size = UEVENT_SIZE;
	assert_null(uevent_get(&u, "ACTION"));
	memcpy(u.text, "ACTION=", 7);
	assert_int_equal(strlen(uevent_get(&u, "ACTION")), UEVENT_SIZE - 7);
}

/* A local socket has no port number, like the kernel's own messages. */
static void test_next(void **state)
{
	static struct uevent u;
	static char longer[UEVENT_SIZE + 100];
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(uevent_next(ends[0], &u), 0);
	assert_int_equal(write(ends[1], MESSAGE, sizeof(MESSAGE)), sizeof(MESSAGE));
	memset(longer, 'y', sizeof(longer));
	assert_int_equal(write(ends[1], longer, sizeof(longer)), sizeof(longer));
	memset(&u, 'z', sizeof(u));
	assert_int_equal(uevent_next(ends[0], &u), 1);
	assert_int_equal(u.size, sizeof(MESSAGE));
	assert_int_equal(u.text[u.size], '\0');
	assert_string_equal(uevent_get(&u, "LAST"), "z");
	/* cut, closed, and the one before it is gone */
	assert_int_equal(uevent_next(ends[0], &u), 1);
	assert_int_equal(u.size, UEVENT_SIZE);
	assert_int_equal(strlen(u.text), UEVENT_SIZE);
	assert_int_equal(uevent_next(ends[0], &u), 0);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(uevent_next(ends[0], &u), -EBADF);
}

/* What another process sends to the socket is not the kernel's word. */
static void test_others_are_dropped(void **state)
{
	static struct uevent u;
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(to);
	int fd, sender;
	ssize_t n;

	(void)state;
	fd = uevent_open();
	if (fd < 0)
		skip();
	while (uevent_next(fd, &u) > 0)
		; /* what the machine itself has to say */
	sender = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	assert_true(sender >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&to, &size), 0);
	to.nl_groups = 0;
	n = sendto(sender, MESSAGE, sizeof(MESSAGE), 0, (struct sockaddr *)&to, sizeof(to));
	if (n < 0) {
		close(fd);
		close(sender);
		skip(); /* it takes CAP_NET_ADMIN */
	}
	while (uevent_next(fd, &u) > 0)
		assert_null(uevent_get(&u, "LAST"));
	close(fd);
	close(sender);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_longest_message),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_others_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
