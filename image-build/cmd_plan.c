// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-image plan: what socle-init would do with a command line, without booting it, or
 * socle-volume with a description.
 */
#include <stdio.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/plan_stack.h"
#include "image-build/initramfs/own_root.h"
#include "image-build/kernel/arch.h"
#include "image-build/kernel/kernel_config.h"
#include "image-build/base/memory.h"
#include "image-build/plan/line.h"
#include "image-build/plan/plan_files.h"
#include "image-build/plan/plan_json.h"
#include "image-build/plan/plan_print.h"
#include "init/plan/cmdline.h"
#include "lib/refusal.h"

struct options {
	const char *cmdline;
	const char *manifest;
	const char *policy;
	const char *kernel;
	const struct launch *launch; /* NULL: not said */
	const char *arch; /* as cmdline_limit() knows it, once check_usage() has seen it */
	bool agent_in_initramfs;
	bool json;
	struct plan_stack_options volume;
};

/* As large as the guest's, so not on the stack. */
static struct boot_plan plan;

/* What is wrong with how the command was called: no guest would ever say it. */
static int usage(const char *text)
{
	fprintf(stderr, "socle-image plan: %s\n", text);
	return STATUS_USAGE;
}

static int check_usage(struct options *o)
{
	enum kernel_arch arch;

	if (o->volume.file && (o->cmdline || o->manifest || o->policy || o->kernel || o->launch ||
			       o->arch || o->agent_in_initramfs))
		return usage("--volume does not boot: it goes with none of a boot's options");
	if (o->volume.file)
		return 0;
	if (plan_stack_is_said(&o->volume))
		return usage("what is said of volumes needs --volume");
	if (!o->cmdline && !o->manifest)
		return usage("--cmdline, --manifest or --volume is required");
	if (!o->arch)
		return 0;
	arch = kernel_arch_parse(o->arch);
	if (!arch)
		return usage("--arch must be x86_64, s390x or aarch64");
	o->arch = kernel_arch_name(arch);
	return 0;
}

static int make_plan(const struct options *o, struct plan_progress *ret, struct err *e)
{
	const struct plan_inputs inputs = {
		.cmdline = o->cmdline ? o->cmdline : "",
		.arch = o->arch,
		.launch = o->launch,
		.policy = o->policy,
		.manifest = o->manifest,
		.agent_in_initramfs = o->agent_in_initramfs,
	};

	return plan_from_files(&inputs, &plan, ret, e);
}

static void print_plan(bool json)
{
	auto_text char *text = json ? plan_json(&plan) : NULL;

	if (text)
		fputs(text, stdout);
	else
		plan_print(&plan, stdout);
}

/*
 * The guest's own line, and under --json the same as JSON. That a file of this machine
 * cannot be read is no word of the guest's.
 */
static void print_refusal(const char *step, const struct err *e, bool json)
{
	char text[REFUSAL_SIZE];
	struct out o = { .text = text, .size = sizeof(text) };

	if (e->code == FAIL_SYSTEM_CALL_FAILED) {
		fprintf(stderr, "socle-image plan: %s\n", e->text);
		return;
	}
	fprintf(stderr, ERR_LINE "\n", step, e->volume[0] ? e->volume : "-", fail_name(e->code),
		e->text);
	if (!json)
		return;
	out_refusal(&o, step, e->volume, fail_name(e->code), e->text);
	fputs(text, stdout);
}

static int warn_own_root(const struct options *o, struct err *e)
{
	struct kernel_config kernel;
	int r = kernel_config_open(&kernel, o->kernel, o->arch, e);

	if (r) {
		fprintf(stderr, "socle-image plan: %s: %s\n", o->kernel, e->text);
		return r;
	}
	own_root_warn("plan", &kernel, o->cmdline);
	kernel_config_close(&kernel);
	return 0;
}

/* Which disks there will be, only --machine of initramfs says. */
static void warn_serials(void)
{
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(&plan, i)); i++)
		if (v->data.kind == DEVREF_SERIAL &&
		    strlen(v->data.value) > DEVREF_SHORT_SERIAL_MAX)
			fprintf(stderr,
				"socle-image plan: warning: the serial number of %s has %zu bytes, "
				"and virtio-blk and NVMe disks have room for %d\n",
				v->name, strlen(v->data.value), DEVREF_SHORT_SERIAL_MAX);
}

static const struct option_row options[] = {
	{ "--cmdline", "TEXT", offsetof(struct options, cmdline), option_text, false,
	  "the kernel command line" },
	{ "--manifest", "FILE", offsetof(struct options, manifest), option_text, false,
	  "the boot manifest that the initramfs or a disk holds" },
	{ "--policy", "FILE", offsetof(struct options, policy), option_text, false,
	  "the policy that the initramfs holds; default: verity=required" },
	{ "--arch", "ARCH", offsetof(struct options, arch), option_text, false,
	  "x86_64, s390x or aarch64: where its kernel cuts a command line; default: this "
	  "machine's" },
	{ "--kernel", "FILE", offsetof(struct options, kernel), option_text, false,
	  "warn of a root= that this kernel (an image or its .config) could mount by itself" },
	{ "--launch", "direct|efi", offsetof(struct options, launch), launch_parse, false,
	  "who starts the kernel: a VMM, or UEFI, which leaves a line less room" },
	{ "--agent-in-initramfs", NULL, offsetof(struct options, agent_in_initramfs), option_flag,
	  false, "the initramfs holds the agent, so it can be the root" },
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ "--volume", "FILE", offsetof(struct options, volume.file), option_text, false,
	  "instead of a boot: a description of volumes, as socle-volume takes it; - is standard "
	  "input" },
	{ "--from", "FORM", offsetof(struct options, volume.from), option_text, false,
	  "its form: kata-volume, containerd, kata-storage or socle; default: by its content" },
	{ "--device", "N=REF", offsetof(struct options, volume.devices), option_list, true,
	  "which disk volume-N is" },
	{ "--sidecar", "N=FILE", offsetof(struct options, volume.sidecars), option_list, true,
	  "containerd's .dmverity file of volume-N" },
	{ "--allow-unverified", "N", offsetof(struct options, volume.unverified), option_list, true,
	  "volume-N may have no verity" },
	{ "--directory", "DIR", offsetof(struct options, volume.directories), option_list, true,
	  "a layer that the guest pulled, topmost first" },
	{ "--upper", "UPPER", offsetof(struct options, volume.upper), option_text, false,
	  "none, tmpfs[,size=SIZE], dir:/PATH or disk:REF[,encrypted[,integrity]]" },
	{ .name = NULL },
};

static int run_volume(const struct options *o)
{
	const char *wrong = NULL;
	struct err e = { .text = "" };

	if (!plan_stack(&o->volume, o->json, &wrong, &e))
		return STATUS_OK;
	if (wrong)
		return usage(wrong);
	print_refusal("describe", &e, o->json);
	return STATUS_FAILED;
}

static int run(int argc, char **argv)
{
	struct options o = { .cmdline = NULL };
	struct err e = { .text = "" };
	int status = option_parse(&command_plan, argc, argv, &o, NULL);
	struct plan_progress progress;

	if (!status)
		status = check_usage(&o);
	if (status)
		return status;
	if (o.volume.file)
		return run_volume(&o);
	if (o.cmdline)
		line_warn("plan", o.cmdline, o.launch, o.arch ? o.arch : CMDLINE_MACHINE);
	if (o.kernel && warn_own_root(&o, &e))
		return STATUS_FAILED;
	if (make_plan(&o, &progress, &e)) {
		print_refusal(progress.step, &e, o.json);
		return STATUS_FAILED;
	}
	if (!progress.whole)
		return usage(
			"the command line has socle.manifest=; give that file with --manifest");
	warn_serials();
	print_plan(o.json);
	return STATUS_OK;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "Say what a guest would do with a command line, or with volumes",
	.operands = "",
	.details = "Prints the boot plan that socle-init would make of a kernel command line or a\n"
		   "manifest. Where the guest would refuse it, the failure line goes to standard\n"
		   "error, and the exit status is 1. An rdinit= that would keep the guest from\n"
		   "starting socle-init at all gets a warning, and so does a line that UEFI would "
		   "cut.",
	.options = options,
	.run = run,
};
