// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The command line becomes the plan, and the policy must allow it. */
#include <errno.h>
#include <fcntl.h>

#include "init/plan/assemble.h"
#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "init/steps.h"
#include "lib/io.h"

static struct plan_source read_source(const char *path, char *text, size_t size)
{
	return (struct plan_source){
		.name = path,
		.text = text,
		.size = io_read_text(AT_FDCWD, path, text, size),
		.size_max = size - 1,
	};
}

/* A file of the initramfs that may be left out. */
static struct plan_source read_packed(const char *path, char *text, size_t size)
{
	struct plan_source s = read_source(path, text, size);

	if (s.size == -ENOENT)
		s.text = NULL;
	return s;
}

int step_plan(struct boot *b, struct err *e)
{
	static char line[CMDLINE_SIZE], policy[POLICY_SIZE], manifest[PLAN_MANIFEST_MAX + 1];
	const struct plan_sources sources = {
		.line = read_source("/proc/cmdline", line, sizeof(line)),
		.policy = read_packed(POLICY_FILE, policy, sizeof(policy)),
		.packed = read_packed(MANIFEST_FILE, manifest, sizeof(manifest)),
		.line_limit = cmdline_limit(CMDLINE_MACHINE),
	};
	ssize_t end = sources.line.size - 1;
	int r;

	/* procfs' own newline. */
	if (end >= 0 && line[end] == '\n')
		line[end] = '\0';
	r = assemble_begin(&sources, &b->plan, &b->policy, e);
	/* A manifest on a disk comes later, when there are disks. */
	return r || b->plan.manifest.digest_size ? r : boot_settle(b, e);
}
