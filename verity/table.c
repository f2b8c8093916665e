// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/parse.h"

#define FIXED_WORDS   10
#define OPTIONS_MAX   64

/* Behind the first n words of a line, blanks included; NULL if it has fewer. */
static const char *skip_words(const char *line, unsigned int n)
{
	for (; n; n--) {
		line += strspn(line, " ");
		if (!*line)
			return NULL;
		line += strcspn(line, " ");
	}
	return line;
}

/* The optional words of a line and their number: none, or "count word …". */
static int read_options(const char *rest, uint64_t *ret_count, const char **ret_words)
{
	char number[8];
	size_t length;

	rest += strspn(rest, " ");
	length = strcspn(rest, " ");
	*ret_count = 0;
	*ret_words = "";
	if (!length)
		return 0;
	if (length >= sizeof(number))
		return -EINVAL;
	memcpy(number, rest, length);
	number[length] = '\0';
	if (parse_u64(number, OPTIONS_MAX, ret_count))
		return -EINVAL;
	*ret_words = rest + length + strspn(rest + length, " ");
	rest = skip_words(*ret_words, (unsigned int)*ret_count);
	return rest && !rest[strspn(rest, " ")] ? 0 : -EINVAL;
}

int verity_table_add(const char *line, unsigned int count, const char *words, char *out,
		     size_t size)
{
	const char *rest = skip_words(line, FIXED_WORDS), *old_words;
	uint64_t old_count;
	int n;

	if (!rest || read_options(rest, &old_count, &old_words))
		return -EINVAL;
	n = snprintf(out, size, "%.*s %u %s%s%s", (int)(rest - line), line,
		     (unsigned int)old_count + count, old_words, old_count ? " " : "", words);
	return n > 0 && (size_t)n < size ? 0 : -E2BIG;
}
