// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/systemd_bool.h"

#include <stddef.h>
#include <string.h>

#include "lib/array.h"

/* No and yes side by side. */
static const char *const words[][2] = {
	{ "0", "1" },        { "no", "yes" }, { "n", "y" },
	{ "false", "true" }, { "f", "t" },    { "off", "on" },
};

static bool is_word(const char *value, size_t meaning)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(value, words[i][meaning]))
			return true;
	return false;
}

bool systemd_is_no(const char *value)
{
	return is_word(value, 0);
}

bool systemd_is_yes(const char *value)
{
	return is_word(value, 1);
}
