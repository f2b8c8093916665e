// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any file given as a kernel: options that can be looked up, or an error. */
#include <stdlib.h>
#include <string.h>

#include "image-build/kernel/features.h"
#include "image-build/kernel/ikconfig.h"
#include "tests/fuzz/fuzz.h"

static void check_options(const struct kconfig *k)
{
	struct feature_report report;

	REQUIRE(k->count > 0 && k->count <= KCONFIG_OPTIONS_MAX);
	for (size_t i = 0; i < k->count; i++) {
		const struct kconfig_option *o = &k->options[i];

		REQUIRE(o->name_size > 0 && o->name_size <= KCONFIG_NAME_MAX);
		REQUIRE(kconfig_state(k, o->name, o->name_size) == o->state);
	}
	for (unsigned int i = 0; i < FEATURES; i++) {
		feature_check(k, ARCH_ANY, (enum feature)i, &report);
		REQUIRE(report.count < FINDINGS_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct kconfig k;
	char *text = NULL;
	size_t text_size;

	if (ikconfig_text(data, size, &text, &text_size, &e)) {
		REQUIRE(!text && e.code != FAIL_NONE && e.text[0]);
		return 0;
	}
	REQUIRE(text && text[text_size] == '\0');
	if (kconfig_parse(text, text_size, &k, &e)) {
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	} else {
		check_options(&k);
		kconfig_free(&k);
	}
	free(text);
	return 0;
}
