// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/stack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void stack_init(struct stack *s)
{
	memset(s, 0, sizeof(*s));
}

int stack_add(struct stack *s, struct volume **ret, struct err *e)
{
	char name[ERR_VOLUME_SIZE];

	if (s->count == STACK_VOLUMES_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d volumes",
			       STACK_VOLUMES_MAX);
	snprintf(name, sizeof(name), "volume-%zu", s->count);
	*ret = &s->volume[s->count++];
	volume_init(*ret, name, "");
	return 0;
}

bool stack_is_alone(const struct stack *s)
{
	return stack_layers(s) == 1 && !s->directories && s->upper.kind == UPPER_NONE;
}

size_t stack_layers(const struct stack *s)
{
	size_t layers = s->directories;

	for (size_t i = 0; i < s->count; i = stack_next(s, i))
		layers++;
	return layers;
}
