/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_LISTENER_H
#define MOUNT_SERVE_LISTENER_H

#include "lib/err.h"

/*
 * A UNIX socket that is there only once it listens: who waits for its path
 * (kata-agent's wait_socket) may connect as soon as there is one.
 */

/*
 * Listen on path, of this user only (mode 0600), with the folders that lead to it. What an
 * earlier run left is replaced; -EADDRINUSE where somebody answers on it, -EEXIST
 * where it is no socket. VALUE_INVALID for a path that is none or too long, else
 * SYSTEM_CALL_FAILED. The descriptor does not block.
 */
int listener_open(const char *path, int *ret_fd, struct err *e);

/* Take the path away. */
void listener_remove(const char *path);

/* Connect to a socket, without waiting: 0 or -errno. The descriptor does not block. */
int listener_connect(const char *path, int *ret_fd);

#endif
