// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/pairs.h"

#include <errno.h>
#include <string.h>

static int note_key(struct pairs *p, const char *key, struct err *e)
{
	for (size_t i = 0; i < p->count; i++)
		if (!strcmp(p->seen[i], key))
			return err_set(e, FAIL_KEY_REPEATED, EINVAL,
				       "%.40s= is specified twice in one list", key);
	if (p->count == PAIRS_KEYS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "a list has more than %d keys",
			       PAIRS_KEYS_MAX);
	p->seen[p->count++] = key;
	return 0;
}

int pairs_next(struct pairs *p, struct pair *ret, struct err *e)
{
	char *word, *equals;
	int r;

	do {
		word = strsep(&p->rest, ",");
	} while (p->skip_empty && word && !*word);
	if (!word)
		return 0;
	equals = strchr(word, '=');
	if (equals)
		*equals++ = '\0';
	r = note_key(p, word, e);
	if (r)
		return r;
	ret->key = word;
	ret->value = equals;
	return 1;
}
