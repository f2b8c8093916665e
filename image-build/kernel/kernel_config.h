/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_KERNEL_CONFIG_H
#define IMAGE_BUILD_KERNEL_KERNEL_CONFIG_H

#include "image-build/kernel/arch.h"
#include "image-build/kernel/kconfig.h"
#include "lib/err.h"

/* A kernel's configuration, with the text that its options' names point into. */
struct kernel_config {
	char *text;
	struct kconfig options;
	enum kernel_arch arch;
};

/*
 * From a .config, a config.gz or a kernel image with CONFIG_IKCONFIG. arch is a
 * name for where the configuration does not say it (a fragment), or NULL; one
 * that contradicts the configuration is refused.
 */
int kernel_config_open(struct kernel_config *ret, const char *path, const char *arch,
		       struct err *e);
void kernel_config_close(struct kernel_config *c);

#endif
