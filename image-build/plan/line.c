// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "init/plan/cmdline.h"
#include "lib/array.h"

#define PREFIX "socle."

char *line_seal(const char *line)
{
	char *copy auto_text = memory_text(line), *rest = copy;
	struct cmdline_param param;
	size_t bytes = 0;

	while (cmdline_next(&rest, &param))
		if (!strncmp(param.key, PREFIX, strlen(PREFIX)))
			bytes += strlen(param.key) + (param.value ? 1 + strlen(param.value) : 0);
	return bytes ? memory_printf(PREFIX "length=%zu %s", bytes, line) : memory_text(line);
}

/*
 * Sources: the kernel's drivers/firmware/efi/libstub/efi-stub-helper.c,
 * efi_convert_cmdline(); edk2's OvmfPkg/Library/X86QemuLoadImageLib.
 */
static const struct launch launches[] = {
	{ "direct", 0 },
	{ "efi", sizeof(" initrd=initrd") - 1 },
};

int launch_parse(const char *text, void *field, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(launches); i++)
		if (!strcmp(text, launches[i].name)) {
			*(const struct launch **)field = &launches[i];
			return 0;
		}
	return refuse(e, "%.40s is neither direct nor efi", text);
}

size_t launch_limit(const struct launch *launch, const char *machine)
{
	size_t limit = cmdline_limit(machine);

	return limit && launch ? limit - launch->added_bytes : limit;
}

/* No UEFI starts a kernel of s390x, and who builds that one chooses the limit. */
static void warn_length(const char *command, size_t length, const char *machine)
{
	bool is_s390 = !strcmp(machine, "s390x");
	size_t limit = is_s390 ? 895 : launch_limit(&launches[ARRAY_SIZE(launches) - 1], machine);

	if (limit && length >= limit)
		fprintf(stderr,
			"socle-image %s: warning: of this line of %zu bytes %s sees no more than "
			"%zu\n",
			command, length,
			is_s390 ? "a kernel with CONFIG_COMMAND_LINE_SIZE=896" :
				  "a kernel that UEFI starts",
			limit);
}

void line_warn(const char *command, const char *line, const struct launch *launch,
	       const char *machine)
{
	char *copy auto_text = memory_text(line), *rest = copy;
	const char *program = NULL;
	struct cmdline_param param;

	while (cmdline_next(&rest, &param))
		if (param.value && !strcmp(param.key, "rdinit"))
			program = param.value;
	if (program && strcmp(program, "/init"))
		fprintf(stderr,
			"socle-image %s: warning: rdinit=%s makes the kernel pass over "
			"/init, so none of this would happen\n",
			command, program);
	if (!launch)
		warn_length(command, strlen(line), machine);
}
