// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/own_root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/kernel/features.h"
#include "init/plan/cmdline.h"

static bool can_mount(const struct kernel_config *kernel)
{
	struct feature_report report;

	feature_check(&kernel->options, kernel->arch, FEATURE_NO_OWN_ROOT, &report);
	return report.state == FEATURE_IS_MISSING;
}

void own_root_warn(const char *command, const struct kernel_config *kernel, const char *cmdline)
{
	char *text auto_text = memory_text(cmdline ? cmdline : ""), *rest = text;
	const char *root = NULL;
	struct cmdline_param param;

	while (cmdline_next(&rest, &param))
		if (param.value && !strcmp(param.key, "root"))
			root = param.value;
	if (root && can_mount(kernel))
		fprintf(stderr,
			"socle-image %s: warning: where this kernel does not unpack the initramfs, "
			"as with too little memory, it mounts root=%s itself and proves nothing; "
			"an /init in the kernel (CONFIG_INITRAMFS_SOURCE) keeps it from that\n",
			command, root);
}
