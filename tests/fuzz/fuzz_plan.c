// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any command line: a plan whose every volume can be proved or is called raw, or an error. */
#include <stdlib.h>
#include <string.h>

#include "image-build/plan/plan_print.h"
#include "init/plan/cmdline.h"
#include "init/plan/plan_policy.h"
#include "tests/fuzz/fuzz.h"

static void require_proof(const struct boot_plan *plan, const struct volume *v)
{
	const struct verity_params *p = &v->verity;

	REQUIRE(v->name[0]);
	REQUIRE(v->data.kind != DEVREF_NONE || (v->proof == VOLUME_RAW && plan->unread_root[0]));
	if (v->proof == VOLUME_RAW)
		return;
	REQUIRE(!v->writable && v->dm_name[0]);
	REQUIRE(p->root_hash_size && p->root_hash_size == verity_digest_size(p->hash_name));
	if (v->proof == VOLUME_VERITY)
		REQUIRE(p->data_blocks && p->hash_start_given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct policy strict = { .verity_optional = false };
	static struct boot_plan plan;
	char *line = malloc(size + 1);
	struct err e = { 0 };
	FILE *null = fopen("/dev/null", "w");
	const struct volume *v;

	memcpy(line, data, size);
	line[size] = '\0';
	if (plan_parse(line, cmdline_limit(CMDLINE_MACHINE), &plan, &e)) {
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	} else {
		REQUIRE(plan.agent[0] == '/' && plan.timeout_s > 0);
		REQUIRE((plan.layers > 0) <= (plan.root != PLAN_ROOT_NONE));
		for (size_t i = 0; (v = plan_volume(&plan, i)); i++) {
			require_proof(&plan, v);
			REQUIRE(v->proof != VOLUME_RAW || plan_check_policy(&plan, &strict, &e));
		}
		plan_print(&plan, null);
	}
	fclose(null);
	free(line);
	return 0;
}
