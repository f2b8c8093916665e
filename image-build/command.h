/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_COMMAND_H
#define IMAGE_BUILD_COMMAND_H

#include "image-build/base/option.h"

/* One file each: cmd_<name>.c. */
extern const struct command command_layers;
extern const struct command command_merge;
extern const struct command command_disk;
extern const struct command command_initramfs;
extern const struct command command_inspect;
extern const struct command command_kernel_check;
extern const struct command command_plan;
extern const struct command command_diff;
extern const struct command command_bundle;
extern const struct command command_run;
extern const struct command command_completion;

/* In the order of --help; NULL behind the last. */
const struct command *command_at(size_t index);
/* NULL: there is none of this name. */
const struct command *command_find(const char *name);

#endif
