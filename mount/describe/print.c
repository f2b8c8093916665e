// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/print.h"

#include <stdio.h>

size_t stack_print(const struct stack *s, bool as_json, char *text, size_t size)
{
	(void)as_json;
	return (size_t)snprintf(text, size, "layers %zu\n", stack_layers(s));
}
