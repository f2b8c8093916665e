/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_MODULES_H
#define IMAGE_BUILD_INITRAMFS_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "image-build/kernel/features.h"
#include "lib/err.h"

/*
 * Which modules of a modular kernel go into an initramfs, in the order in which
 * they load: read from a directory like /lib/modules/<release>, as depmod(8)
 * leaves it. modules.dep and modules.builtin must be there; modules.softdep,
 * modules.alias and modules.builtin.modinfo are read where they are.
 * Sources: depmod(8), modules.dep(5), modprobe.d(5); the kernel's
 * Documentation/kbuild/kbuild.rst for modules.builtin.modinfo.
 */
struct module {
	char *name;        /* normalised: "dm_mod" */
	char *path;        /* below the directory: "kernel/drivers/md/dm-mod.ko.xz" */
	char *depends;     /* paths, separated by blanks */
	char *softdep_pre; /* names of what it asks for when it is loaded, the same */
	bool built_in;     /* nothing to load */
	bool optional;     /* may fail to load */
	bool chosen;
};

/* Another name for a module; module is NULL where it is built in. */
struct module_alias {
	char *alias;
	char *module;
};

struct modules {
	const char *directory; /* the caller's */
	size_t count, room;
	struct module *all; /* by name */
	size_t alias_count, alias_room;
	struct module_alias *aliases;
	size_t chosen_count;
	struct module **chosen; /* dependencies first */
};

/*
 * Read the lists; the modules themselves stay untouched. directory must outlive the
 * result. Refused: one of the two lists that must be there is not, or a line of
 * modules.dep is no such line. On failure nothing is left to close.
 */
int modules_open(struct modules *ret, const char *directory, struct err *e);
/* Free the lists, and with them every module that was found. */
void modules_close(struct modules *m);

/* By name or file name, "-" and "_" the same; NULL where there is none. */
struct module *modules_find(const struct modules *m, const char *name);

/* One by name; an error unless it is there or built in. */
int modules_choose(struct modules *m, const char *name, struct err *e);

/*
 * The modules of a feature's rules on an architecture. One that only helps, and
 * one of several that would do, may fail to load. Where nothing that it needs is
 * there it is an error, which says what for; with if_there it is not, and all
 * of the feature's modules may fail to load.
 */
int modules_choose_feature(struct modules *m, enum feature feature, enum kernel_arch arch,
			   bool if_there, struct err *e);

/* The text of the list: one file name a line, "-" before an optional one. Allocated. */
char *modules_list(const struct modules *m);

#endif
