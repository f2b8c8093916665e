// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/assemble.h"

#include <errno.h>
#include <string.h>

#include "init/plan/manifest.h"
#include "init/plan/plan_policy.h"

static int check_read(const struct plan_source *s, struct err *e)
{
	if (s->size >= 0)
		return 0;
	if (s->size == -EFBIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%s has more than %zu bytes", s->name,
			       s->size_max);
	return err_result(e, FAIL_SYSTEM_CALL_FAILED, s->size, "read %s", s->name);
}

static int take_packed(const struct plan_source *s, struct boot_plan *plan, struct err *e)
{
	int r = check_read(s, e);

	if (!r && plan->manifest.digest_size)
		r = err_set(e, FAIL_ROOT_AMBIGUOUS, EINVAL,
			    "there is a manifest in the initramfs and socle.manifest=");
	return r ? r : manifest_parse(s->text, (size_t)s->size, plan, e);
}

int assemble_begin(const struct plan_sources *sources, struct boot_plan *plan,
		   struct policy *policy, struct err *e)
{
	const struct plan_source *line = &sources->line, *rules = &sources->policy;
	int r = 0;

	plan_init(plan);
	if (line->text)
		r = check_read(line, e);
	if (!r && line->text)
		r = plan_parse(line->text, sources->line_limit, plan, e);
	if (!r && rules->text)
		r = check_read(rules, e);
	if (!r && rules->text)
		r = policy_parse(rules->name, rules->text, (size_t)rules->size, policy, e);
	return r || !sources->packed.text ? r : take_packed(&sources->packed, plan, e);
}

int assemble_check_disk(const struct boot_plan *plan, uint64_t disk_bytes, struct err *e)
{
	char ref[DEVREF_TEXT_SIZE];

	if (disk_bytes >= plan->manifest.size_bytes)
		return 0;
	return err_set(e, FAIL_DEVICE_TOO_SMALL, ENOSPC, "%s has %llu bytes and the manifest %llu",
		       devref_print(&plan->manifest.device, ref, sizeof(ref)),
		       (unsigned long long)disk_bytes,
		       (unsigned long long)plan->manifest.size_bytes);
}

int assemble_take_disk(struct boot_plan *plan, const char *text, const uint8_t sha256[32],
		       struct err *e)
{
	if (memcmp(sha256, plan->manifest.sha256, sizeof(plan->manifest.sha256)))
		return err_set(
			e, FAIL_MANIFEST_MISMATCH, EBADMSG,
			"the manifest on the disk has another SHA-256 than the command line says");
	return manifest_parse(text, plan->manifest.size_bytes, plan, e);
}

int assemble_end(struct boot_plan *plan, const struct policy *policy, bool agent_in_initramfs,
		 struct err *e)
{
	int r = plan_settle(plan, agent_in_initramfs, e);

	return r ? r : plan_check_policy(plan, policy, e);
}
