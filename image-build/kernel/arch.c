// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/arch.h"

#include <string.h>

#include "image-build/kernel/kconfig.h"
#include "lib/array.h"

static const struct {
	enum kernel_arch arch;
	const char *name, *other_name, *option;
} archs[] = {
	{ ARCH_X86_64, "x86_64", "amd64", "X86_64" },
	{ ARCH_S390X, "s390x", "s390", "S390" },
	{ ARCH_AARCH64, "aarch64", "arm64", "ARM64" },
};

enum kernel_arch kernel_arch_parse(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (!strcmp(text, archs[i].name) || !strcmp(text, archs[i].other_name))
			return archs[i].arch;
	return ARCH_UNKNOWN;
}

const char *kernel_arch_name(enum kernel_arch arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (archs[i].arch == arch)
			return archs[i].name;
	return "unknown";
}

enum kernel_arch kernel_arch_of(const struct kconfig *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (kconfig_state(k, archs[i].option, strlen(archs[i].option)) == KCONFIG_BUILT_IN)
			return archs[i].arch;
	return ARCH_UNKNOWN;
}
