/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_UEVENT_H
#define LIB_UEVENT_H

#include <stddef.h>

/*
 * The kernel's uevents. A message is "action@devpath" and then KEY=value
 * texts, each closed by a NUL.
 *
 * Source: kobject_uevent_env() in the kernel's lib/kobject_uevent.c.
 */

/* Bytes of one message: UEVENT_BUFFER_SIZE of variables behind the header. */
#define UEVENT_SIZE 8192

struct uevent {
	size_t size;
	char text[UEVENT_SIZE + 1];
};

/* A socket that hears every uevent from now on: a descriptor or -errno. */
int uevent_open(void);

/*
 * Take one waiting message; never waits. 1: *ret is filled; 0: none is
 * waiting; -ENOBUFS: messages were lost, scan again; other -errno. Messages
 * that the kernel did not send are dropped.
 */
int uevent_next(int fd, struct uevent *ret);

/* The value of a key, or NULL. */
const char *uevent_get(const struct uevent *u, const char *key);

#endif
