/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_IKCONFIG_H
#define IMAGE_BUILD_KERNEL_IKCONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * The configuration that a kernel with CONFIG_IKCONFIG carries: gzip between two
 * marks, in the kernel's data, which in most images is compressed itself. The
 * marks are looked for in the bytes as they are, and in what unpacks from every
 * place that looks like the beginning of gzip, xz, zstd or LZ4; this covers
 * bzImage, s390x' images, arm64's Image and Image.gz, EFI zboot and vmlinux, and
 * asks none of their headers. Source: kernel/configs.c, scripts/extract-ikconfig.
 */
#define IKCONFIG_IMAGE_MAX  (256U << 20) /* bytes of an image */
#define IKCONFIG_UNPACK_MAX (1U << 30)   /* bytes unpacked in all in search of the marks */
#define IKCONFIG_TRIES_MAX  256          /* places that look like a beginning */
#define IKCONFIG_GZIP_MAX   (1U << 20)   /* bytes between the marks */

/*
 * Pure. *ret_text is allocated, its size without the closing NUL. -ENODATA where
 * the image has none.
 */
int ikconfig_extract(const uint8_t *image, size_t size, char **ret_text, size_t *ret_size,
		     struct err *e);

/* The same where bytes are either a configuration's text, that text in gzip, or an image. */
int ikconfig_text(const uint8_t *bytes, size_t size, char **ret_text, size_t *ret_size,
		  struct err *e);

#endif
