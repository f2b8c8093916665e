// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What an initramfs says of the boot, and what that boot needs of the kernel. */
#include "image-build/initramfs.h"

#include <string.h>

#include "image-build/kernel_config.h"
#include "image-build/plan_files.h"
#include "image-build/refuse.h"
#include "init/manifest.h"

static int add_policy(struct initramfs_build *b, struct policy *policy, struct err *e)
{
	const char *source = b->options->policy;
	int r = source ? plan_policy_file(source, policy, e) : 0;

	return r || !source ? r : initramfs_add_file(b, &POLICY_FILE[1], source, false, e);
}

static int add_manifest(struct initramfs_build *b, struct boot_plan *plan, struct err *e)
{
	const char *source = b->options->manifest;
	int r;

	if (!source)
		return 0;
	if (plan->manifest.digest_size)
		return refuse(e, "the command line has socle.manifest=, so no manifest can be "
				 "packed");
	r = plan_manifest_file(source, plan, e);
	return r ? r : initramfs_add_file(b, &MANIFEST_FILE[1], source, false, e);
}

/* As the guest will settle it, in the order of init/step_plan.c; our /init is no agent. */
static int settle(const struct initramfs_build *b, struct boot_plan *plan,
		  const struct policy *policy, struct err *e)
{
	bool has_agent = strcmp(plan->agent, "/init") && tree_find(&b->tree, &plan->agent[1]);
	int r = plan_settle(plan, has_agent, e);

	return r ? r : policy_check(policy, plan, e);
}

/*
 * What the guest would refuse is not packed, and what its plan and its machine
 * need of the kernel is known from here on. Without a command line the plan is
 * only begun, and with a manifest on a disk a part of it is missing.
 */
int initramfs_add_plan(struct initramfs_build *b, struct err *e)
{
	static struct boot_plan plan;
	const struct initramfs_options *o = b->options;
	struct policy policy = { false };
	int r = needs_of_machine(&b->needs, &o->machine, b->arch, e);
	bool whole;

	plan_init(&plan);
	if (!r)
		r = add_policy(b, &policy, e);
	if (!r && o->cmdline)
		r = plan_cmdline(o->cmdline, b->arch ? kernel_arch_name(b->arch) : NULL, &plan, e);
	whole = o->cmdline && !plan.manifest.digest_size;
	if (!r)
		r = add_manifest(b, &plan, e);
	if (!r && whole)
		r = settle(b, &plan, &policy, e);
	if (!whole)
		needs_of_layers(&b->needs);
	return r ? r : needs_of_plan(&b->needs, &plan, o->machine.count > 0, e);
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
		kernel_config_close(&kernel);
	}
	if (r)
		err_prefix(e, "%.200s: ", o->kernel);
	return r;
}
