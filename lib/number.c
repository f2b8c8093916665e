// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/number.h"

#include <errno.h>

int parse_u64(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return -ERANGE;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}
