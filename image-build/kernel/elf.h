/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_ELF_H
#define IMAGE_BUILD_KERNEL_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "image-build/kernel/arch.h"
#include "lib/err.h"

/*
 * Whether the kernel can run a file with nothing else in the initramfs: a
 * complete ELF executable of any machine, without PT_INTERP and no shared library.
 * name is for the message.
 */
int elf_check_static(int fd, const char *name, struct err *e);

/* As many of a file's first bytes as elf_arch() looks at. */
#define ELF_ARCH_BYTES 20

/*
 * What an ELF file runs on: ARCH_UNKNOWN for a machine that has no name here,
 * and for what is no ELF file.
 */
enum kernel_arch elf_arch(const uint8_t *bytes, size_t size);

#endif
