/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_MODULES_H
#define IMAGE_BUILD_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "image-build/kconfig.h"
#include "lib/err.h"

/*
 * Which modules of a modular kernel go into an initramfs, in the order in which
 * they load: read from modules.dep and modules.builtin of a directory like
 * /lib/modules/<release>. Sources: depmod(8), modules.dep(5).
 */
struct module {
	char *name;    /* normalised: "dm_mod" */
	char *path;    /* below the directory: "kernel/drivers/md/dm-mod.ko.xz" */
	char *needs;   /* paths of what it depends on, separated by blanks */
	bool built_in; /* nothing to load */
	bool optional; /* may fail to load */
	bool chosen;
};

struct modules {
	const char *directory;
	size_t count, room;
	struct module *all; /* by name */
	size_t chosen_count;
	struct module **chosen; /* dependencies first */
};

int modules_open(struct modules *ret, const char *directory, struct err *e);
void modules_close(struct modules *m);

/* What our init needs on any of the buses that arch has, each or a reason why not. */
int modules_choose_default(struct modules *m, enum kernel_arch arch, struct err *e);
/* One more, by name ("-" and "_" are the same); an error unless it is there or built in. */
int modules_choose(struct modules *m, const char *name, struct err *e);

/* The text of /lib/modules/socle.load: one file name a line, "-" before an optional one. Allocated.
 */
char *modules_list(const struct modules *m);

#endif
