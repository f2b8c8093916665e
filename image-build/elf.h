/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_ELF_H
#define IMAGE_BUILD_ELF_H

#include "lib/err.h"

/*
 * Whether the kernel can run a file with nothing else in the initramfs: a
 * complete ELF executable of any machine, without PT_INTERP. name is for the
 * message.
 */
int elf_check_static(int fd, const char *name, struct err *e);

#endif
