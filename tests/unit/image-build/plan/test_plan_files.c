// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A plan that is made on the build machine: in the guest's order, as far as all is at hand. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "image-build/plan/plan_files.h"

#define H64     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LAYER   "socle.layer=SERIAL=a,root_hash=" H64 ",data_blocks=9"
#define ON_DISK "socle.manifest=SERIAL=m,size=8,sha256=" H64
#define MANIFEST                                                                                   \
	"{\"version\":1,\"layers\":[{\"device\":\"SERIAL=a\",\"root_hash\":\"" H64                 \
	"\",\"data_blocks\":9}]}"
#define PROGRAM "socle.agent=/sbin/agent"

static const struct row {
	const char *label;
	const char *cmdline, *policy, *manifest; /* texts; NULL: none */
	const char *packed;                      /* a file of the initramfs; "": an empty one */
	bool whole;
	enum fail_code code;
	const char *words; /* NULL: accepted */
} rows[] = {
	{ "layer", LAYER, NULL, NULL, NULL, true, 0, NULL },
	{ "manifest", "quiet", NULL, MANIFEST, NULL, true, 0, NULL },
	{ "packed manifest", "quiet", NULL, MANIFEST, "", true, 0, NULL },
	{ "no line", NULL, "verity=required\n", MANIFEST, "", false, 0, NULL },
	{ "no line, no root", NULL, NULL, NULL, "", false, 0, NULL },
	{ "manifest elsewhere", ON_DISK, NULL, NULL, "", false, 0, NULL },
	{ "packed agent", PROGRAM, NULL, NULL, "sbin/agent", true, 0, NULL },
	{ "no agent", PROGRAM, NULL, NULL, "sbin/other", true, FAIL_NO_ROOT, "/sbin/agent" },
	{ "init as agent", "socle.agent=/init", NULL, NULL, "init", true, FAIL_NO_ROOT, "/init" },
	{ "manifest twice", ON_DISK, NULL, MANIFEST, "", false, FAIL_ROOT_AMBIGUOUS,
	  "in the initramfs and socle.manifest=" },
	{ "another manifest", ON_DISK, NULL, MANIFEST, NULL, false, FAIL_MANIFEST_MISMATCH,
	  "another SHA-256" },
	{ "policy", "root=/dev/vda rootfstype=ext4", NULL, NULL, NULL, true, FAIL_POLICY_REFUSED,
	  "nothing proves root" },
	{ "weak policy", "root=/dev/vda rootfstype=ext4", "verity=optional\n", NULL, NULL, true, 0,
	  NULL },
	/* Of two mistakes the guest's first. */
	{ "line before policy", "socle.no=1", "no=1\n", NULL, NULL, false, FAIL_KEY_UNKNOWN,
	  "socle.no" },
	{ "policy before manifest", LAYER, "no=1\n", "no", NULL, false, FAIL_KEY_UNKNOWN,
	  "/etc/socle/policy" },
	{ "manifest before root", "quiet", NULL, "no", NULL, false, FAIL_VALUE_INVALID,
	  "manifest" },
};

/* A text as a file, whose path goes to path. */
static const char *put_input(const struct temp *t, const char *name, const char *text, char *path,
			     size_t size)
{
	if (!text)
		return NULL;
	put_text(t->fd, name, text);
	snprintf(path, size, "%s/%s", t->path, name);
	return path;
}

/* A file below a folder, or at the top. */
static void pack(struct tree *tree, const char *path)
{
	const char *slash = strchr(path, '/');
	struct node *dir = tree->root;
	char name[32];

	if (slash) {
		snprintf(name, sizeof(name), "%.*s", (int)(slash - path), path);
		dir = node_add(tree, dir, name);
		node_set_inode(dir, inode_new(S_IFDIR | 0755));
		path = slash + 1;
	}
	if (*path)
		node_set_inode(node_add(tree, dir, path), inode_new(S_IFREG | 0755));
}

static void check_row(const struct row *row, const struct temp *t)
{
	static struct boot_plan plan;
	char policy[128], manifest[128];
	struct tree tree;
	struct plan_inputs in = {
		.cmdline = row->cmdline,
		.arch = "x86_64",
		.policy = put_input(t, "policy", row->policy, policy, sizeof(policy)),
		.manifest = put_input(t, "manifest", row->manifest, manifest, sizeof(manifest)),
		.initramfs = row->packed ? &tree : NULL,
	};
	struct err e = { .text = "" };
	struct plan_progress progress = { .whole = !row->whole };
	int r;

	tree_init(&tree);
	if (row->packed)
		pack(&tree, row->packed);
	r = plan_from_files(&in, &plan, &progress, &e);
	if (row->words) {
		expect_failure(row->label, r, &e, row->code, row->words);
	} else {
		expect_success(row->label, r, &e);
		if (progress.whole != row->whole)
			print_error("%s\n", row->label);
		assert_int_equal(progress.whole, row->whole);
	}
	tree_free(&tree);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct temp t;

		temp_make(&t);
		check_row(&rows[i], &t);
		temp_remove(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
