// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/plan_files.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <string.h>

#include "image-build/base/refuse.h"
#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "init/plan/policy.h"
#include "lib/io.h"

static int take_cmdline(const struct plan_inputs *in, struct boot_plan *plan, struct err *e)
{
	static char text[CMDLINE_SIZE];
	size_t limit = cmdline_limit(in->arch ? in->arch : CMDLINE_MACHINE);

	if (strlen(in->cmdline) >= sizeof(text))
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "the command line has more than %d bytes", CMDLINE_SIZE - 1);
	strcpy(text, in->cmdline);
	return plan_parse(text, limit, plan, e);
}

/* -EFBIG is the guest's limit, too. */
static int read_text(const char *path, char *text, size_t size, struct err *e)
{
	ssize_t n = io_read_text(AT_FDCWD, path, text, size);

	if (n >= 0)
		return (int)n;
	if (n == -EFBIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%.200s has more than %zu bytes",
			       path, size - 1);
	return err_result(e, FAIL_SYSTEM_CALL_FAILED, n, "%.200s", path);
}

static int take_policy(const char *path, struct policy *ret, struct err *e)
{
	char text[POLICY_SIZE];
	int n = read_text(path, text, sizeof(text), e);

	return n < 0 ? n : policy_parse(text, ret, e);
}

/* The length and the digest that socle.manifest= gives, where it stands on the line. */
static int check_digest(const struct plan_manifest *m, const char *text, size_t size, struct err *e)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];

	if (!m->digest_size)
		return 0;
	SHA256((const uint8_t *)text, size, digest);
	if (size == m->size_bytes && !memcmp(digest, m->sha256, sizeof(digest)))
		return 0;
	return err_set(e, FAIL_MANIFEST_MISMATCH, EBADMSG,
		       "the manifest has another length or SHA-256 than socle.manifest= says");
}

static int take_manifest(const struct plan_inputs *in, struct boot_plan *plan, struct err *e)
{
	static char text[PLAN_MANIFEST_MAX + 1];
	int n, r;

	if (in->initramfs && plan->manifest.digest_size)
		return refuse(e, "the command line has socle.manifest=, so no manifest can be "
				 "packed");
	n = read_text(in->manifest, text, sizeof(text), e);
	r = n < 0 ? n : check_digest(&plan->manifest, text, (size_t)n, e);
	return r ? r : manifest_parse(text, (size_t)n, plan, e);
}

/* Our /init is no agent: that would go on for ever. */
static bool has_agent(const struct plan_inputs *in, const struct boot_plan *plan)
{
	if (!in->initramfs)
		return in->agent_in_initramfs;
	return strcmp(plan->agent, "/init") && tree_find(in->initramfs, &plan->agent[1]);
}

/* In the order of init/step_plan.c and init/step_manifest.c: the same mistake comes first. */
int plan_assemble(const struct plan_inputs *in, struct boot_plan *plan, bool *ret_whole,
		  struct err *e)
{
	struct policy policy = { false };
	int r = 0;

	plan_init(plan);
	if (in->cmdline)
		r = take_cmdline(in, plan, e);
	if (!r && in->policy)
		r = take_policy(in->policy, &policy, e);
	if (!r && in->manifest)
		r = take_manifest(in, plan, e);
	if (r)
		return r;
	*ret_whole = in->cmdline && (in->manifest || !plan->manifest.digest_size);
	if (*ret_whole)
		r = plan_settle(plan, has_agent(in, plan), e);
	if (!r && *ret_whole)
		r = policy_check(&policy, plan, e);
	return r;
}
