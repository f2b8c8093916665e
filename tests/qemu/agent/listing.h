/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_LISTING_H
#define TESTS_QEMU_AGENT_LISTING_H

/*
 * Every name below a directory, as one record "tree" with a list of lines, sorted
 * by bytes within a directory: path, mode with type (octal), uid, gid, size (of files
 * and links), rdev, links (0 for directories), mtime, sha256 of a file or target of a
 * link, xattrs (name=hex, sorted, with commas); a tab between two. Bytes outside of
 * 0x21..0x7e and the backslash are \xHH, "-" stands for nothing, and the name of an
 * error for what could not be read.
 */
void list_tree(const char *root);

#endif
