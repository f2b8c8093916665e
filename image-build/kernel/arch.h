/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_ARCH_H
#define IMAGE_BUILD_KERNEL_ARCH_H

struct kconfig;

/* Architectures that fragments are there for; bits, so that they can be or'ed. */
enum kernel_arch {
	ARCH_UNKNOWN = 0,
	ARCH_X86_64 = 1,
	ARCH_S390X = 2,
	ARCH_AARCH64 = 4,
	ARCH_ANY = 7,
};

/*
 * "x86_64", "s390x", "aarch64", or the other names "amd64", "s390", "arm64"; ARCH_UNKNOWN for
 * any other.
 */
enum kernel_arch kernel_arch_parse(const char *text);
const char *kernel_arch_name(enum kernel_arch arch);

/* What the options of a configuration say. */
enum kernel_arch kernel_arch_of(const struct kconfig *k);

#endif
