// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/cmdline.h"

#include <string.h>

#include "lib/array.h"

/* The kernel's isspace() knows Latin-1's no-break space as well. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == 0xa0;
}

/*
 * The end of a word that starts here; *ret_equals is the '=' that parts name
 * and value, or NULL. One in front of everything is part of the name. *in_quote
 * is what it is at the start, and becomes what it is at the end.
 */
static char *find_end(char *word, bool *in_quote, char **ret_equals)
{
	char *at = word;

	*ret_equals = NULL;
	for (; *at && (*in_quote || !is_blank(*at)); at++) {
		if (*at == '=' && at > word && !*ret_equals)
			*ret_equals = at;
		if (*at == '"')
			*in_quote = !*in_quote;
	}
	return at;
}

int cmdline_next(char **rest, struct cmdline_param *ret)
{
	char *word = *rest, *end, *equals;
	bool quoted;

	while (is_blank(*word))
		word++;
	if (!*word)
		return 0;
	quoted = ret->open_quote = *word == '"';
	word += quoted;
	end = find_end(word, &ret->open_quote, &equals);
	*rest = *end ? end + 1 : end;
	*end = '\0';
	ret->key = word;
	ret->value = NULL;
	if (equals) {
		*equals = '\0';
		ret->value = equals + 1;
		if (*ret->value == '"') {
			ret->value++;
			if (end[-1] == '"')
				end[-1] = '\0';
		}
	}
	if (quoted && end > word && end[-1] == '"')
		end[-1] = '\0';
	if (!ret->value && !strcmp(word, "--")) {
		*rest = end;
		return 0;
	}
	return 1;
}

/* COMMAND_LINE_SIZE of each architecture's asm/setup.h, minus the NUL. */
static const struct {
	const char *machine;
	size_t limit;
} limits[] = {
	{ "x86_64", 2047 },
	{ "aarch64", 2047 },
	{ "s390x", 4095 },
};

size_t cmdline_limit(const char *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!strcmp(machine, limits[i].machine))
			return limits[i].limit;
	return 0;
}
