/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_POLICY_H
#define INIT_PLAN_POLICY_H

#include "init/plan/plan.h"

/*
 * What the initramfs, which is measured with the kernel, allows whatever the
 * command line says. A text of key=value lines, packed as POLICY_FILE; empty
 * lines and lines that begin with # do not count:
 *
 *   verity=required|optional     required: nothing is mounted that no root hash
 *                                proves. The default.
 *   signature=optional|required
 *                                required: nothing is mounted whose root hash
 *                                carries no signature. Default optional.
 *   modules=locked|open          locked: after the listed modules no other can
 *                                be loaded until the next boot. Default open.
 *   on_corruption=any|stop       stop: the command line may choose between panic
 *                                and restart, but not eio. Default any.
 */

#define POLICY_FILE "/etc/socle/policy"
#define POLICY_SIZE 4096 /* bytes of the text */

struct policy {
	bool verity_optional;
	bool signature_required;
	bool modules_locked;
	bool corruption_stops;
};

/* Parse a policy; the text is written to. Unknown or repeated keys are refused. Pure. */
int policy_parse(char *text, struct policy *ret, struct err *e);

/* POLICY_REFUSED where the plan asks for what the policy forbids. Pure. */
int policy_check(const struct policy *policy, const struct boot_plan *plan, struct err *e);

#endif
