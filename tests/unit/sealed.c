// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/sealed.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init/plan/cmdline.h"

char *sealed_line(const char *line)
{
	char *copy = strdup(line), *rest = copy, *sealed = NULL;
	struct cmdline_param param;
	size_t count = 0, bytes = 0;
	bool given = false;

	while (cmdline_next(&rest, &param)) {
		given |= !strcmp(param.key, "socle.length");
		if (strncmp(param.key, "socle.", 6))
			continue;
		bytes += strlen(param.key) + (param.value ? 1 + strlen(param.value) : 0);
		count++;
	}
	free(copy);
	if (count < 2 || given)
		return strdup(line);
	return asprintf(&sealed, "socle.length=%zu %s", bytes, line) < 0 ? NULL : sealed;
}
