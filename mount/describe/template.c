// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/template.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"

#define TEMPLATE_SIZE 64

int template_lowers(const char *text, const struct mount_list *list, struct err *e)
{
	size_t first = list->first_lower, last = first + list->lowers - 1;
	char mount[TEMPLATE_SIZE], overlay[TEMPLATE_SIZE];

	snprintf(mount, sizeof(mount), "{{ mount %zu }}", first);
	snprintf(overlay, sizeof(overlay), "{{ overlay %zu %zu }}", first, last);
	if (!strcmp(text, overlay) || (list->lowers == 1 && !strcmp(text, mount)))
		return 0;
	return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL,
		       "\"%.120s\" is not \"%s\": all layers of the list, topmost first", text,
		       list->lowers == 1 ? mount : overlay);
}

int template_upper(const char *text, const struct mount_list *list, struct err *e)
{
	const char *inside = text_behind(text, "{{ mount 0 }}/");
	bool is_template = strstr(text, "{{") || strstr(text, "}}");

	if (inside && list->writable && !strstr(inside, "{{") && !strstr(inside, "}}"))
		return 0;
	if (!is_template && text_is_path(text))
		return 0;
	return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL,
		       "\"%.120s\" is not a place to write to: an absolute path, or one on the "
		       "writable disk of the list",
		       text);
}
