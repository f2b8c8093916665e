/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_MARKS_H
#define INIT_PLAN_MARKS_H

/*
 * What an initramfs of socle-image carries to show that it was unpacked whole:
 * MARK_BEGUN before /init, MARK_COMPLETE as its very last entry, and in both the
 * same text, which no other initramfs has. The kernel writes the entries in
 * their order and ends at the first that it cannot write (init/initramfs.c).
 */
#define MARK_BEGUN    "/etc/socle/begun"
#define MARK_COMPLETE "/etc/socle/complete"
#define MARK_SIZE     128 /* bytes of the text at most, a closing NUL included */

#endif
