/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_REMAKE_H
#define TESTS_QEMU_AGENT_REMAKE_H

/*
 * The verb "remake DEVICE": compute the hash tree of a layer's disk anew, from its
 * data and its superblock, with this machine's byte order and lib/sha256.h. Tells
 * the root hash, how many bytes the tree has, and how many of them from the first
 * on are the disk's.
 */
void do_remake(const char *device);

#endif
