// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/command.h"

#include <string.h>

#include "lib/array.h"

static const struct command *const commands[] = {
	&command_layers,  &command_merge,        &command_disk,       &command_initramfs,
	&command_inspect, &command_kernel_check, &command_plan,       &command_bundle,
	&command_run,     &command_diff,         &command_completion,
};

const struct command *command_at(size_t index)
{
	return index < ARRAY_SIZE(commands) ? commands[index] : NULL;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}
