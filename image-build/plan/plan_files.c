// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/plan_files.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "init/plan/assemble.h"
#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "lib/io.h"

#define SECTOR 512 /* what a file has as a disk is a multiple of it */

/* What the guest would have read, in buffers of its sizes; the manifest's of a sector more. */
struct texts {
	char line[CMDLINE_SIZE], policy[POLICY_SIZE], manifest[PLAN_MANIFEST_MAX + 1 + SECTOR];
};

/* A file of this machine in the place of the guest's. -EFBIG is the guest's limit, too. */
static int read_source(const char *path, const char *name, char *text, size_t size,
		       struct plan_source *ret, struct err *e)
{
	if (!path)
		return 0;
	*ret = (struct plan_source){
		.name = name,
		.text = text,
		.size = io_read_text(AT_FDCWD, path, text, size),
		.size_max = size - 1,
	};
	if (ret->size >= 0 || ret->size == -EFBIG)
		return 0;
	return system_result(e, ret->size, "%.200s", path);
}

static struct plan_source line_source(const char *cmdline, char text[CMDLINE_SIZE])
{
	size_t length = strlen(cmdline);
	bool fits = length < CMDLINE_SIZE;

	if (fits)
		strcpy(text, cmdline);
	return (struct plan_source){
		.name = "/proc/cmdline",
		.text = text,
		.size = fits ? (ssize_t)length : -EFBIG,
		.size_max = CMDLINE_SIZE - 1,
	};
}

/* The file is the disk, from its first byte. */
static int take_disk(const struct plan_source *file, struct boot_plan *plan, struct err *e)
{
	uint64_t size = plan->manifest.size_bytes, have = (uint64_t)file->size;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	uint64_t disk = (have + SECTOR - 1) / SECTOR * SECTOR;
	int r = assemble_check_disk(plan, file->size < 0 ? size : disk, e);

	if (r)
		return r;
	if (file->size >= 0 && disk > have)
		memset(file->text + have, 0, disk - have);
	SHA256((const uint8_t *)file->text, size, digest);
	file->text[size] = '\0';
	return assemble_take_disk(plan, file->text, digest, e);
}

/* Our /init is no agent: that would go on for ever. */
static bool has_agent(const struct plan_inputs *in, const struct boot_plan *plan)
{
	if (!in->initramfs)
		return in->agent_in_initramfs;
	return strcmp(plan->agent, "/init") && tree_find(in->initramfs, &plan->agent[1]);
}

static int read_all(const struct plan_inputs *in, struct texts *texts, struct plan_sources *ret,
		    struct err *e)
{
	const char *arch = in->arch ? in->arch : CMDLINE_MACHINE;
	int r = read_source(in->policy, POLICY_FILE, texts->policy, sizeof(texts->policy),
			    &ret->policy, e);

	if (!r)
		r = read_source(in->manifest, MANIFEST_FILE, texts->manifest, PLAN_MANIFEST_MAX + 1,
				&ret->packed, e);
	if (in->cmdline)
		ret->line = line_source(in->cmdline, texts->line);
	ret->line_limit = launch_limit(in->launch, arch);
	return r;
}

/* Does the line say that its manifest is on a disk? */
static bool names_disk(const char *cmdline)
{
	char *copy auto_text = memory_text(cmdline), *rest = copy;
	struct cmdline_param param;

	while (cmdline_next(&rest, &param))
		if (!strcmp(param.key, "socle.manifest"))
			return true;
	return false;
}

int plan_from_files(const struct plan_inputs *in, struct boot_plan *plan, struct plan_progress *ret,
		    struct err *e)
{
	static struct texts texts;
	struct plan_sources sources = { .line_limit = 0 };
	struct plan_source disk = { .text = NULL };
	struct policy policy = { false };
	int r = read_all(in, &texts, &sources, e);

	*ret = (struct plan_progress){ .step = ASSEMBLE_STEP_PLAN };
	if (r)
		return r;
	if (!in->initramfs && in->cmdline && names_disk(in->cmdline)) {
		disk = sources.packed;
		sources.packed.text = NULL;
	}
	r = assemble_begin(&sources, plan, &policy, e);
	if (!r && plan->manifest.digest_size && disk.text) {
		ret->step = ASSEMBLE_STEP_MANIFEST;
		r = take_disk(&disk, plan, e);
	}
	ret->whole = in->cmdline && (disk.text || !plan->manifest.digest_size);
	if (!r && ret->whole)
		r = assemble_end(plan, &policy, has_agent(in, plan), e);
	return r;
}
