/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_LEFT_H
#define TESTS_QEMU_AGENT_LEFT_H

/*
 * What there is that a volume may leave behind, as one record "left" of lists: "fds"
 * of this process, "processes" (of programs, not the kernel's), "mounts" (lines of
 * mountinfo), "dm" (names of devices), "loops" (devices with a file), "run" (names
 * in /run/socle).
 */
void tell_left(void);

#endif
