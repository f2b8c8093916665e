// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/form.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"

int form_take_directories(const struct describe_given *given, struct stack *s, struct err *e)
{
	if (!given->directories)
		return err_set(
			e, FAIL_DESCRIPTION_INVALID, EINVAL,
			"the image is pulled in the guest: the directories of its layers must "
			"be given");
	for (size_t i = 0; i < given->directories; i++)
		if (!text_is_path(given->directory[i]))
			return err_set(
				e, FAIL_VALUE_INVALID, EINVAL,
				"the directory \"%.200s\" is not an absolute path without . and ..",
				given->directory[i]);
	memcpy(s->directory, given->directory, sizeof(s->directory));
	s->directories = given->directories;
	return 0;
}
