/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_OWN_ROOT_H
#define IMAGE_BUILD_INITRAMFS_OWN_ROOT_H

#include "image-build/kernel/kernel_config.h"

/*
 * Where a kernel does not unpack the initramfs beside it and has no /init in it, it
 * mounts root= by itself and starts the disk's program. The host brings that about with
 * too little memory. Warns on standard error, as this command of socle-image, of a
 * command line (or NULL) with a root= for a kernel that can.
 */
void own_root_warn(const char *command, const struct kernel_config *kernel, const char *cmdline);

#endif
