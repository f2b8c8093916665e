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

bool text_is_tmpfs_size(const char *text)
{
	static const char units[] = "kmg";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits, *known;
	uint64_t value, max = INT64_MAX;

	if (*unit && unit[1])
		return false;
	known = *unit ? strchr(units, *unit | 0x20) : NULL;
	if (known)
		max >>= 10 * (known - units + 1);
	else if (*unit == '%')
		max = 100;
	else if (*unit)
		return false;
	return !parse_u64_part(text, digits, max, &value) && value;
}

bool text_is_path(const char *path)
{
	if (*path != '/' || !path[1])
		return false;
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	for (const char *part = path; part; part = strchr(part + 1, '/')) {
		size_t length = strcspn(part + 1, "/");

		if (!length || (length <= 2 && !strncmp(part + 1, "..", length)))
			return false;
	}
	return true;
}
