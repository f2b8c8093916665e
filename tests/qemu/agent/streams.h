/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_STREAMS_H
#define TESTS_QEMU_AGENT_STREAMS_H

#include "tests/qemu/agent/command.h"

/*
 * Unix sockets of the guest for a client on the host.
 *
 * "connect PATH": {"fd", "errno"}. "send FD BYTES": {"errno"}.
 * "receive FD MAX LIMIT_MS": {"errno", "bytes"}: what comes first, at most so many bytes;
 *	none: the other side closed it, or with ETIMEDOUT said nothing in time.
 * "close FD": {"errno"}.
 */
void stream_connect(const struct command *c);
void stream_send(const struct command *c);
void stream_receive(const struct command *c);
void stream_close(const struct command *c);

#endif
