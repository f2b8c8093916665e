/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_STACK_H
#define TESTS_FUZZ_FUZZ_STACK_H

#include <string.h>

#include "mount/describe/form.h"
#include "tests/fuzz/fuzz.h"

/* A volume is proved by what it has, or it is called raw. */
static inline void require_volume(const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	REQUIRE(v->name[0] && !v->dm_name[0] && !v->writable && !v->options[0]);
	if (v->proof == VOLUME_RAW)
		return;
	REQUIRE(p->root_hash_size && p->root_hash_size <= VERITY_DIGEST_MAX);
	if (v->proof == VOLUME_SUPERBLOCK)
		REQUIRE(v->trailer || (v->superblock_offset_bytes && v->tree_follows_data));
	else
		REQUIRE(p->data_blocks && p->hash_start_given);
}

/* What was read of any text: volumes with their devices behind them, or a failure that says why. */
static inline void require_stack(int r, const struct stack *s, const struct err *e)
{
	size_t i = 0;

	if (r) {
		REQUIRE(r < 0 && e->code != FAIL_NONE && e->text[0]);
		return;
	}
	REQUIRE(s->count <= STACK_VOLUMES_MAX && stack_layers(s) && stack_layers(s) <= LAYERS_MAX);
	while (i < s->count)
		i = stack_next(s, i);
	REQUIRE(i == s->count && (!s->count || !s->directories));
	for (i = 0; i < s->count; i++)
		require_volume(&s->volume[i]);
}

/* One form's reader, where the caller has said of the volumes whatever can be said. */
static inline void read_any(const struct form_reader *form, const uint8_t *data, size_t size)
{
	static struct describe_given given = { .directories = 1, .directory = { "/layer" } };
	static struct stack stack;
	char *text = malloc(size + 1);
	auto_json struct json_object *root = NULL;
	struct err e = { 0 };
	int r;

	for (size_t i = 0; i < STACK_VOLUMES_MAX; i++) {
		given.volume[i].allow_unverified = i % 2;
		if (i % 3 == 0)
			given.volume[i].sidecar = "{\"roothash\":\"0000000000000000000000000000000"
						  "000000000000000000000000000000000\","
						  "\"hashoffset\":4096}";
	}
	given.upper = size % 2 ? "tmpfs" : NULL;
	memcpy(text, data, size);
	text[size] = '\0';
	stack_init(&stack);
	r = hostile_parse(text, size, &root, &e);
	if (!r) {
		(void)form->looks_like(root);
		r = form->read(root, &given, &stack, &e);
	}
	require_stack(r, &stack, &e);
	free(text);
}

#endif
