/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_REMAKE_H
#define TESTS_QEMU_AGENT_REMAKE_H

/*
 * The verb "remake DEVICE": make the superblock and the hash tree of a layer's
 * disk anew, from its data, with libsocle in the guest. Tells the root hash, how
 * many bytes that made, and how many of them from the first on are the disk's.
 */
void do_remake(const char *device);

#endif
