// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/table_read.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"

/* The ten fixed words, by the names that our grammar has for them; NULL: a device. */
static const char *const words[] = {
	"format",      NULL,         NULL,   "data_block_size", "hash_block_size",
	"data_blocks", "hash_start", "hash", "root_hash",       "salt",
};

static int take_device(const char *word, struct verity_table *t)
{
	char *to = t->data[0] ? t->hash : t->data;

	if (!*word || strlen(word) >= VERITY_TABLE_DEVICE_SIZE)
		return -EINVAL;
	strcpy(to, word);
	return 0;
}

int verity_table_read(const char *line, struct verity_table *ret, struct err *e)
{
	struct verity_table t = { .data = "" };
	char copy[VERITY_TABLE_SIZE], *rest = copy, *word;
	int r = 0;

	if (strlen(line) >= sizeof(copy))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, E2BIG, "a table is too long");
	strcpy(copy, line);
	verity_params_init(&t.params);
	for (size_t i = 0; !r && i < ARRAY_SIZE(words); i++) {
		word = strsep(&rest, " ");
		if (!word)
			r = -EINVAL;
		else if (words[i])
			r = verity_params_set(&t.params, words[i], word, e);
		else
			r = take_device(word, &t);
	}
	if (r)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "\"%.80s\" is not a verity table", line);
	*ret = t;
	return 0;
}
