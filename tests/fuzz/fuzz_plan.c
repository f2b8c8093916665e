// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any command line: a plan whose every layer can be proved, or an error. */
#include <stdlib.h>
#include <string.h>

#include "init/plan.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct boot_plan plan;
	char *line = malloc(size + 1);
	struct err e = { 0 };
	FILE *null = fopen("/dev/null", "w");

	memcpy(line, data, size);
	line[size] = '\0';
	if (plan_parse(line, &plan, &e)) {
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	} else {
		REQUIRE(plan.layers > 0 && plan.agent[0] == '/' && plan.timeout_s > 0);
		for (size_t i = 0; i < plan.layers; i++) {
			const struct verity_params *p = &plan.layer[i].verity;

			REQUIRE(p->root_hash_size == verity_digest_size(p->hash_name));
			REQUIRE(p->root_hash_size && p->data_blocks && p->hash_start_given);
		}
		plan_print(&plan, null);
	}
	fclose(null);
	free(line);
	return 0;
}
