/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_LINE_H
#define IMAGE_BUILD_PLAN_LINE_H

#include <stddef.h>

#include "lib/err.h"

/* A kernel command line on its way to a guest: what it says of itself, and where it is cut. */

/*
 * The line with socle.length= in front, as socle-init wants it; the same line where no
 * word of it is ours. Allocated.
 */
char *line_seal(const char *line);

/* Who hands the line to the kernel. */
struct launch {
	const char *name;
	size_t added_bytes; /* that it puts before or behind the line, blank included */
};

/*
 * "direct": the VMM itself, or a loader that adds nothing. "efi": UEFI, whose edk2 adds
 * "initrd=initrd" for -initrd, and where the kernel's stub cuts at the end of a word.
 */
int launch_parse(const char *text, void *field, struct err *e);

/* From how many bytes on the machine's kernel does not see the whole line; 0: not known. */
size_t launch_limit(const struct launch *launch, const char *machine);

/*
 * Warn on standard error, in the name of a command, of what no socle-init would ever tell:
 * a rdinit= that starts something else, and, where launch is NULL, a line that not every
 * launch keeps whole.
 */
void line_warn(const char *command, const char *line, const struct launch *launch,
	       const char *machine);

#endif
