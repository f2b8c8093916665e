// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What an initramfs says of the boot, and what that boot needs of the kernel. */
#include "image-build/initramfs/initramfs.h"

#include <stdio.h>

#include "image-build/initramfs/own_root.h"
#include "image-build/kernel/kernel_config.h"
#include "image-build/plan/plan_files.h"
#include "image-build/base/refuse.h"
#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "mount/policy.h"

/* A signature that the guest is to read from a file must be in the archive. */
static int check_signatures(const struct initramfs_build *b, const struct boot_plan *plan,
			    struct err *e)
{
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++) {
		const char *path = verity_signature_path(&v->signature, plan->signatures);

		if (path && !tree_find(&b->tree, path + 1))
			return refuse(e, "the signature of %s must be in %s: pack it with --file",
				      v->name, path);
	}
	return 0;
}

/* The plan and what is packed for it must agree on volumes at run time. */
static int check_volumes(const struct initramfs_build *b, const struct boot_plan *plan, bool whole,
			 struct err *e)
{
	if (plan->volumes && !tree_find(&b->tree, &PLAN_VOLUME_PROGRAM[1]))
		return refuse(
			e, "socle.volumes=yes needs --volumes, which packs " PLAN_VOLUME_PROGRAM);
	if (b->options->volumes && whole && !plan->volumes)
		fprintf(stderr, "socle-image initramfs: warning: without socle.volumes=yes the "
				"packed " PLAN_VOLUME_PROGRAM " does not come to the agent\n");
	return 0;
}

/*
 * What the guest would refuse is not packed, and what its plan and its machine
 * need of the kernel is known from here on. Where the plan is not whole, it may
 * still turn out to be one of layers.
 */
int initramfs_add_plan(struct initramfs_build *b, struct err *e)
{
	static struct boot_plan plan;
	const struct initramfs_options *o = b->options;
	const struct plan_inputs inputs = {
		.cmdline = o->cmdline,
		.arch = b->arch ? kernel_arch_name(b->arch) : NULL,
		.policy = o->policy,
		.manifest = o->manifest,
		.initramfs = &b->tree,
	};
	int r = needs_of_machine(&b->needs, &o->machine, b->arch, e);
	struct plan_progress progress = { .step = NULL };

	if (!r && o->cmdline)
		line_warn("initramfs", o->cmdline, NULL,
			  inputs.arch ? inputs.arch : CMDLINE_MACHINE);
	if (!r)
		r = plan_from_files(&inputs, &plan, &progress, e);
	/* What no guest says is of this machine: a file that cannot be read. */
	if (r && progress.step && e->code != FAIL_SYSTEM_CALL_FAILED)
		r = err_prefix(e, r, "step=%s volume=%s code=%s: ", progress.step,
			       e->volume[0] ? e->volume : "-", fail_name(e->code));
	if (!r)
		r = check_signatures(b, &plan, e);
	if (!r)
		r = check_volumes(b, &plan, progress.whole, e);
	if (!r && o->policy)
		r = initramfs_add_file(b, &POLICY_FILE[1], o->policy, false, e);
	if (!r && o->manifest)
		r = initramfs_add_file(b, &MANIFEST_FILE[1], o->manifest, false, e);
	if (r)
		return r;
	if (!progress.whole)
		needs_of_layers(&b->needs);
	if (o->volumes)
		needs_of_volumes(&b->needs);
	return needs_of_plan(&b->needs, &plan, o->machine.count > 0, e);
}

int initramfs_check_kernel(const struct initramfs_build *b, struct err *e)
{
	const struct initramfs_options *o = b->options;
	bool required[FEATURES] = { [FEATURE_BOOT] = true, [FEATURE_DISKS] = true };
	struct kernel_config kernel;
	int r = kernel_config_open(&kernel, o->kernel, NULL, e);

	if (!r) {
		for (unsigned int i = 0; i < FEATURES; i++)
			required[i] |= b->needs.of[i] == NEED_YES;
		required[FEATURE_LAYERS] |= !o->cmdline;
		required[FEATURE_INITRAMFS_GZIP] |= o->compression == COMPRESSION_GZIP;
		required[FEATURE_INITRAMFS_ZSTD] |= o->compression == COMPRESSION_ZSTD;
		required[FEATURE_MODULES] |= o->kernel_modules != NULL;
		r = initramfs_check_arch(b, kernel.arch, "the kernel", e);
		if (!r)
			r = features_require(&kernel.options, kernel.arch, required,
					     o->kernel_modules, e);
		if (!r)
			own_root_warn("initramfs", &kernel, o->cmdline);
		kernel_config_close(&kernel);
	}
	return err_prefix(e, r, "%.200s: ", o->kernel);
}
