// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/uuid.h"

#include <stddef.h>

#include "lib/hex.h"

void uuid_text(const uint8_t uuid[UUID_SIZE], char text[UUID_TEXT_SIZE])
{
	char *at = text;

	for (size_t i = 0; i < UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		hex_encode(uuid + i, 1, at);
		at += 2;
	}
}
