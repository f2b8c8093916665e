// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/streams.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/qemu/agent/json.h"

#define RECEIVE_MAX 65536

static void tell(int result)
{
	json_begin("stream");
	json_result(result);
	json_end();
}

void stream_connect(const struct command *c)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r = -1;

	errno = ENAMETOOLONG;
	if (c->count == 2 && c->words[1].size < sizeof(address.sun_path)) {
		memcpy(address.sun_path, c->words[1].text, c->words[1].size);
		r = connect(fd, (const struct sockaddr *)&address, sizeof(address));
	}
	json_begin("stream");
	json_result(r);
	json_number("fd", (uint64_t)fd);
	json_end();
	if (r < 0)
		close(fd);
}

void stream_send(const struct command *c)
{
	int fd = (int)command_number(c, 1);
	size_t sent = 0;
	ssize_t n = 0;

	while (c->count == 3 && sent < c->words[2].size &&
	       (n = send(fd, c->words[2].text + sent, c->words[2].size - sent, MSG_NOSIGNAL)) > 0)
		sent += (size_t)n;
	tell(n < 0 ? -1 : 0);
}

void stream_receive(const struct command *c)
{
	static char bytes[RECEIVE_MAX];
	struct pollfd wait = { (int)command_number(c, 1), POLLIN, 0 };
	size_t max = command_number(c, 2);
	ssize_t n = -1;

	if (poll(&wait, 1, (int)command_number(c, 3)) > 0)
		n = recv(wait.fd, bytes, max < sizeof(bytes) ? max : sizeof(bytes), 0);
	else
		errno = ETIMEDOUT;
	json_begin("stream");
	json_result(n < 0 ? -1 : 0);
	json_key("bytes");
	json_string(bytes, n < 0 ? 0 : (size_t)n);
	json_end();
}

void stream_close(const struct command *c)
{
	tell(close((int)command_number(c, 1)));
}
