// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/module_params.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "init/plan/cmdline.h"

static char underscored(char c)
{
	return c == '-' ? '_' : c;
}

/* The parameter behind the module's name and a dot; NULL where it is not this module's. */
static const char *parameter_of(const char *key, const char *file)
{
	size_t length = strcspn(file, ".");

	for (size_t i = 0; i < length; i++)
		if (underscored(key[i]) != underscored(file[i]))
			return NULL;
	return key[length] == '.' && key[length + 1] ? key + length + 1 : NULL;
}

int module_params(char *cmdline, const char *file, char *out, size_t size)
{
	struct cmdline_param param;
	size_t used = 0;

	if (!size)
		return -E2BIG;
	*out = '\0';
	while (cmdline_next(&cmdline, &param)) {
		const char *name = parameter_of(param.key, file);
		bool value = param.value != NULL;
		int n;

		if (!name)
			continue;
		/* In quotes, as a value may hold blanks. */
		n = snprintf(out + used, size - used, "%s%s%s%s%s", used ? " " : "", name,
			     value ? "=\"" : "", value ? param.value : "", value ? "\"" : "");
		if (n < 0 || (size_t)n >= size - used)
			return -E2BIG;
		used += (size_t)n;
	}
	return 0;
}
