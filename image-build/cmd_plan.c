// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image plan: what socle-init would do with a command line, without booting it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/json.h"
#include "image-build/memory.h"
#include "image-build/plan_files.h"
#include "image-build/plan_json.h"
#include "image-build/refuse.h"
#include "init/cmdline.h"

struct options {
	const char *cmdline;
	const char *manifest;
	const char *policy;
	const char *arch;
	bool agent_in_initramfs;
	bool json;
};

/* As large as the guest's, so not on the stack. */
static struct boot_plan plan;

static int make_plan(const struct options *o, struct err *e)
{
	const struct plan_inputs inputs = {
		.cmdline = o->cmdline ? o->cmdline : "",
		.arch = o->arch,
		.policy = o->policy,
		.manifest = o->manifest,
		.agent_in_initramfs = o->agent_in_initramfs,
	};
	bool whole;
	int r = plan_assemble(&inputs, &plan, &whole, e);

	if (!r && !whole)
		r = refuse(e, "the command line has socle.manifest=; give that file with "
			      "--manifest");
	return r;
}

static void print_plan(bool json)
{
	struct json_object *object;

	if (!json) {
		plan_print(&plan, stdout);
		return;
	}
	object = plan_json(&plan);
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* The guest's own line, and under --json the same as JSON. */
static void print_refusal(const struct err *e, bool json)
{
	struct json_object *object;

	fprintf(stderr, "socle: FAILED step=plan volume=%s code=%s: %s\n",
		e->volume[0] ? e->volume : "-", fail_name(e->code), e->text);
	if (!json)
		return;
	object = json_object_new_object();
	json_add_text(object, "code", fail_name(e->code));
	json_add_text(object, "volume", e->volume);
	json_add_text(object, "text", e->text);
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/*
 * No socle-init sees this key: with it the kernel starts another program, or, where
 * there is none of that name, mounts root= by itself and proves nothing.
 */
static void warn_rdinit(const char *cmdline)
{
	char *text auto_text = memory_text(cmdline), *rest = text;
	const char *program = NULL;
	struct cmdline_param param;

	while (cmdline_next(&rest, &param))
		if (param.value && !strcmp(param.key, "rdinit"))
			program = param.value;
	if (program && strcmp(program, "/init"))
		fprintf(stderr, "socle-image plan: warning: rdinit=%s makes the kernel pass over "
				"/init, so none of this would happen\n", program);
}

static const struct option_row options[] = {
	{ "--cmdline", "TEXT", offsetof(struct options, cmdline), option_text, false,
	  "the kernel command line" },
	{ "--manifest", "FILE", offsetof(struct options, manifest), option_text, false,
	  "the manifest that the initramfs or a disk holds" },
	{ "--policy", "FILE", offsetof(struct options, policy), option_text, false,
	  "the policy that the initramfs holds; default: verity=required" },
	{ "--arch", "ARCH", offsetof(struct options, arch), option_text, false,
	  "x86_64, s390x or aarch64: where its kernel cuts a command line; default: this machine's" },
	{ "--agent-in-initramfs", NULL, offsetof(struct options, agent_in_initramfs), option_flag,
	  false, "the initramfs holds the agent, so it can be the root" },
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .cmdline = NULL };
	struct err e = { .text = "" };
	int status = option_parse(&command_plan, argc, argv, &o, NULL);

	if (status)
		return status;
	if (!o.cmdline && !o.manifest) {
		fprintf(stderr, "socle-image plan: --cmdline or --manifest is needed\n");
		return STATUS_USAGE;
	}
	if (o.cmdline)
		warn_rdinit(o.cmdline);
	if (make_plan(&o, &e)) {
		print_refusal(&e, o.json);
		return STATUS_FAILED;
	}
	print_plan(o.json);
	return STATUS_OK;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "Say what a guest would do with a command line",
	.operands = "",
	.details = "Prints the boot plan that socle-init would make of a kernel command line or a\n"
		   "manifest. Where the guest would refuse it, the failure line goes to standard\n"
		   "error, and the exit status is 1. A rdinit= that would keep the guest from\n"
		   "starting socle-init at all is warned of.",
	.options = options,
	.run = run,
};
