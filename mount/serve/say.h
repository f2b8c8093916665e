/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_SAY_H
#define MOUNT_SERVE_SAY_H

/*
 * A line on stderr, or none: it may be a console or a pipe that the host or nobody reads,
 * and what is served must not wait for that.
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
