// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/initramfs.h"

#include <libgen.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/initramfs/cpio.h"
#include "image-build/tree/name.h"
#include "init/plan/manifest.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "mount/policy.h"

/* What has an option of its own is checked there, and --file would go round that. */
static const char *option_of(const char *path)
{
	if (!strcmp(path, &POLICY_FILE[1]))
		return "--policy";
	return strcmp(path, &MANIFEST_FILE[1]) ? NULL : "--manifest";
}

/* DEST=SRC; the first "=" parts them. */
static int add_named_file(struct initramfs_build *b, const char *text, struct err *e)
{
	const char *equals = strchr(text, '=');
	char *raw auto_text = NULL;
	char path[LIMIT_PATH + 1];
	int r;

	if (!equals || equals == text || !equals[1])
		return refuse(e, "--file needs DEST=SRC, not \"%.100s\"", text);
	raw = memory_printf("%.*s", (int)(equals - text), text);
	r = name_clean(raw, path, e);
	if (!r && !*path)
		r = refuse(e, "--file %.100s: DEST is the root", text);
	if (!r && option_of(path))
		r = refuse(e, "--file %.100s: use %s, which checks it", text, option_of(path));
	return r ? r : initramfs_add_file(b, path, equals + 1, false, e);
}

static int fill(struct initramfs_build *b, struct err *e)
{
	const struct initramfs_options *o = b->options;
	int r = initramfs_add_base(b, e);

	if (!r)
		r = initramfs_add_file(b, "init", o->init, true, e);
	if (!r && o->volumes)
		r = initramfs_add_volume_program(b, e);
	for (size_t i = 0; !r && i < o->files.count; i++)
		r = add_named_file(b, o->files.at[i], e);
	if (!r)
		r = initramfs_add_plan(b, e);
	if (!r && o->kernel)
		r = initramfs_check_kernel(b, e);
	if (!r && o->kernel_modules)
		r = initramfs_add_modules(b, e);
	return r ? r : initramfs_add_marks(b, e);
}

static int write_archive(const struct initramfs_build *b, int fd, struct err *e)
{
	struct sink s;
	int r = sink_open(&s, fd, b->options->compression, e);

	if (!r)
		r = cpio_write(&b->tree, b->last, &s, e);
	/* What is put behind it must begin where the kernel takes a plain archive. */
	if (!r)
		r = sink_finish(&s, CPIO_ALIGNMENT, e);
	sink_close(&s);
	return r;
}

static int check_inputs(const struct initramfs_options *o, struct err *e)
{
	char *program auto_text = o->volumes ? initramfs_volume_program(o) : NULL;
	const char *const inputs[] = { o->init, o->kernel, o->policy, o->manifest, program };
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(inputs); i++)
		r = output_not_input(o->output, inputs[i], e);
	for (size_t i = 0; !r && i < o->files.count; i++) {
		const char *equals = strchr(o->files.at[i], '=');

		r = output_not_input(o->output, equals ? equals + 1 : NULL, e);
	}
	return r;
}

int initramfs_pack(const struct initramfs_options *o, struct err *e)
{
	char *copy auto_text = memory_text(o->output);
	struct initramfs_build b = { .options = o, .store = STORE_NONE };
	struct output output = { .fd = -1 };
	int r;

	r = check_inputs(o, e);
	if (r)
		return r;
	tree_init(&b.tree);
	store_open(&b.store, output_scratch(dirname(copy), e), -1, 0);
	r = b.store.data.fd < 0 ? -EIO : fill(&b, e);
	if (!r)
		r = output_create(&output, o->output, e);
	if (!r)
		r = write_archive(&b, output.fd, e);
	if (!r)
		r = output_commit(&output, e);
	output_discard(&output);
	tree_free(&b.tree);
	store_close(&b.store);
	return r;
}
