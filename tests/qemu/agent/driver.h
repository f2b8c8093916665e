/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_DRIVER_H
#define TESTS_QEMU_AGENT_DRIVER_H

/*
 * The verb "drive NAME": do what the host says over the virtio-serial port of that
 * name, until it says "leave" or is gone. A command is a line "VERB COUNT SIZE...",
 * a size for each of COUNT words, and behind it the words' bytes with nothing in
 * between; its answer is what other verbs report, then {"what":"done"}. The verbs
 * of /etc/socle-test are understood as well, with one word.
 */
void do_drive(const char *name);

#endif
