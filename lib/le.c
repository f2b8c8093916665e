// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/le.h"

uint64_t le_get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i > 0; i--)
		value = value << 8 | at[i - 1];
	return value;
}

void le_put(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++, value >>= 8)
		at[i] = (uint8_t)value;
}
