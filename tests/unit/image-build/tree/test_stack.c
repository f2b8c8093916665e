// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Layers at random: what overlayfs shows of their images, by its documentation and
 * not by merge.c, is what merge makes of them.
 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "image-build/tree/merge.h"
#include "image-build/tree/whiteouts.h"
#include "tests/unit/image-build/image_tar.h"

#define ROUNDS      3000
#define STACK_MAX   4
#define MEMBERS_MAX 9

static uint32_t seed;

static uint32_t below(uint32_t end)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 16) % end;
}

static void choose_member(struct member *m)
{
	static const char *const names[] = {
		"./",
		"a",
		"b",
		"a/a",
		"a/b",
		"b/a",
		"b/b",
		"a/a/a",
		".wh.a",
		".wh.b",
		"a/.wh.a",
		"a/.wh.b",
		"b/.wh..wh..opq",
		"a/.wh..wh..opq",
		"a/a/.wh..wh..opq",
		".wh..wh..opq",
	};
	static const char *const targets[] = { "a", "b", "/a/b", "../b/a", "a/a" };
	static const char types[] = "00055555212";
	static const char *const contents[] = { "1", "2", "3" };

	*m = (struct member){ .name = names[below(ARRAY_SIZE(names))] };
	m->type = strcmp(m->name, "./") ? types[below(sizeof(types) - 1)] : '5';
	m->uid = below(3);
	if (strstr(m->name, ".wh."))
		m->type = '0';
	if (m->type == '0')
		m->data = contents[below(3)];
	if (m->type == '1' || m->type == '2')
		m->link = targets[below(ARRAY_SIZE(targets))];
}

static bool is_opaque(const struct node *dir)
{
	return inode_xattr(dir->inode, "trusted.overlay.opaque") != NULL;
}

static void print_node(FILE *f, const char *path, const struct inode *inode)
{
	char content[8] = "";

	if (S_ISREG(inode->mode))
		assert_true(content_read(&inode->content, inode->size, content, 7, 0, NULL) >= 0);
	fprintf(f, "%s %o %u %s%s\n", path, inode->mode, inode->uid, content,
		S_ISLNK(inode->mode) ? inode->target : "");
}

/* A directory that count layers have, dirs[0] topmost. */
static void show(FILE *f, const char *path, const struct node *const *dirs, size_t count)
{
	static const char *const names[] = { "a", "b" };

	print_node(f, path, dirs[0]->inode);
	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		const struct node *found[STACK_MAX];
		char below_path[64];
		size_t have = 0;

		for (size_t i = 0; i < count; i++) {
			const struct node *child = node_child(dirs[i], names[n]);

			/* What is no directory ends a directory, and stands for itself alone. */
			if (child && have && !node_is_directory(child))
				break;
			if (child)
				found[have++] = child;
			if (child && (!node_is_directory(child) || is_opaque(child)))
				break;
			if (is_opaque(dirs[i]))
				break;
		}
		if (!have || overlay_is_whiteout(found[0]->inode))
			continue;
		snprintf(below_path, sizeof(below_path), "%s/%s", path, names[n]);
		if (node_is_directory(found[0]))
			show(f, below_path, found, have);
		else
			print_node(f, below_path, found[0]->inode);
	}
}

/* As `layers` makes the images, and the guest stacks them. */
static char *stacked_text(struct layer *layers, size_t count)
{
	const struct node *roots[STACK_MAX];
	char *text = NULL;
	size_t size, bottom = count - 1;
	FILE *f = open_memstream(&text, &size);

	while (bottom && !layers[bottom].tree.root->inode->opaque)
		bottom--;
	overlay_drop_marks(&layers[bottom].tree);
	for (size_t i = bottom; i < count; i++) {
		overlay_encode(&layers[i].tree);
		roots[count - 1 - i] = layers[i].tree.root;
	}
	show(f, "", roots, count - bottom);
	fclose(f);
	return text;
}

static char *merged_text(struct layer *layers, size_t count)
{
	const struct node *root;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	merge_layers(layers, count);
	root = layers[0].tree.root;
	show(f, "", &root, 1);
	fclose(f);
	return text;
}

static void print_members(const struct member (*members)[MEMBERS_MAX + 1], size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (const struct member *m = members[i]; m->name; m++)
			print_error("layer %zu: %c %s -> %s, %s, of %u\n", i, m->type, m->name,
				    m->link ? m->link : "", m->data ? m->data : "", m->uid);
}

/* Whether this one was taken: some are refused, names below files for instance. */
static bool try_round(void)
{
	struct member members[STACK_MAX][MEMBERS_MAX + 1] = { 0 };
	const struct member *each[STACK_MAX];
	struct layer one[STACK_MAX], two[STACK_MAX];
	size_t count = 1 + below(STACK_MAX);
	struct err e = { .text = "" };
	bool taken;

	for (size_t i = 0; i < count; i++) {
		size_t some = 1 + below(MEMBERS_MAX - 1);

		for (size_t n = 0; n < some; n++)
			choose_member(&members[i][n]);
		each[i] = members[i];
	}
	taken = !read_layers(one, count, each, &e);
	assert_int_equal(!read_layers(two, count, each, &e), taken);
	if (taken) {
		char *stacked = stacked_text(one, count), *merged = merged_text(two, count);

		if (strcmp(stacked, merged)) {
			print_members(members, count);
			fail_msg("stacked:\n%s\nmerged:\n%s", stacked, merged);
		}
		free(stacked);
		free(merged);
	}
	for (size_t i = 0; i < count; i++) {
		layer_free(&one[i]);
		layer_free(&two[i]);
	}
	return taken;
}

static void test_stacks(void **state)
{
	size_t taken = 0;

	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		uint32_t round = seed;

		taken += try_round();
		seed = round;
	}
	/* With all of them refused nothing would have been compared. */
	assert_true(taken > ROUNDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
