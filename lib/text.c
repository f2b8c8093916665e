// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/text.h"

#include <errno.h>
#include <string.h>

const char *text_behind(const char *text, const char *beginning)
{
	size_t size = strlen(beginning);

	return strncmp(text, beginning, size) ? NULL : text + size;
}

int text_find(const char *const words[], const char *text, size_t size)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == size && !memcmp(words[i], text, size))
			return i;
	return -1;
}

int parse_u64(const char *text, uint64_t max, uint64_t *ret)
{
	return parse_u64_part(text, strlen(text), max, ret);
}

int parse_u64_part(const char *text, size_t size, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (!size)
		return -EINVAL;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return -ERANGE;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}
