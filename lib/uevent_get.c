// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/uevent.h"

#include <string.h>

const char *uevent_get(const struct uevent *u, const char *key)
{
	size_t length = strlen(key);

	for (size_t at = 0; at < u->size; at += strlen(u->text + at) + 1)
		if (!strncmp(u->text + at, key, length) && u->text[at + length] == '=')
			return u->text + at + length + 1;
	return NULL;
}
