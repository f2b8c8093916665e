// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The command line becomes the plan, and the policy must allow it. */
#include <errno.h>
#include <fcntl.h>

#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "init/steps.h"
#include "lib/io.h"

static int read_failed(const char *path, ssize_t r, size_t limit, struct err *e)
{
	if (r == -EFBIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%s has more than %zu bytes", path,
			       limit - 1);
	return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "read %s", path);
}

static int read_cmdline(struct boot_plan *plan, struct err *e)
{
	static char text[CMDLINE_SIZE];
	ssize_t n = io_read_text(AT_FDCWD, "/proc/cmdline", text, sizeof(text));

	if (n < 0)
		return read_failed("/proc/cmdline", n, sizeof(text), e);
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return plan_parse(text, cmdline_limit(CMDLINE_MACHINE), plan, e);
}

static int read_policy(struct policy *policy, struct err *e)
{
	char text[POLICY_SIZE];
	ssize_t n = io_read_text(AT_FDCWD, POLICY_FILE, text, sizeof(text));

	/* None: the defaults, which are the strict ones. */
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return read_failed(POLICY_FILE, n, sizeof(text), e);
	return policy_parse(text, policy, e);
}

static int read_packed_manifest(struct boot_plan *plan, struct err *e)
{
	static char text[PLAN_MANIFEST_MAX + 1];
	ssize_t n = io_read_text(AT_FDCWD, MANIFEST_FILE, text, sizeof(text));

	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return read_failed(MANIFEST_FILE, n, sizeof(text), e);
	if (plan->manifest.digest_size)
		return err_set(e, FAIL_ROOT_AMBIGUOUS, EINVAL,
			       "there is a manifest in the initramfs and socle.manifest=");
	return manifest_parse(text, (size_t)n, plan, e);
}

int step_plan(struct boot *b, struct err *e)
{
	int r = read_cmdline(&b->plan, e);

	if (!r)
		r = read_policy(&b->policy, e);
	if (!r)
		r = read_packed_manifest(&b->plan, e);
	/* A manifest on a disk comes later, when there are disks. */
	if (r || b->plan.manifest.digest_size)
		return r;
	return boot_settle(b, e);
}
