/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_INITRAMFS_H
#define IMAGE_BUILD_INITRAMFS_INITRAMFS_H

#include <stdbool.h>

#include "image-build/initramfs/needs.h"
#include "image-build/base/option.h"
#include "image-build/base/sink.h"
#include "image-build/base/store.h"
#include "image-build/tree/tree.h"

/* The parts of socle-image initramfs. A text that was not given is NULL. */
struct initramfs_options {
	const char *init;
	const char *output;
	const char *kernel_modules;
	const char *kernel;
	const char *policy;
	const char *manifest;
	const char *cmdline;
	struct option_list machine;
	struct option_list modules;
	struct option_list files;
	enum compression compression;
	bool volumes;
	const char *volume_program;
};

/* All of it, to the output: an archive that is the same for the same options and files. */
int initramfs_pack(const struct initramfs_options *o, struct err *e);

/* One initramfs while it is made: /init first, then the plan, then the modules for it. */
struct initramfs_build {
	const struct initramfs_options *options;
	enum kernel_arch arch; /* what /init runs on; ARCH_UNKNOWN until it is added */
	struct needs needs;    /* of the kernel; filled by the plan */
	struct tree tree;
	struct node *last; /* of the tree: behind all others in the archive */
	struct store store;
};

/* Mount points, and a console for PID 1's descriptors. */
int initramfs_add_base(struct initramfs_build *b, struct err *e);

/*
 * Add one name, a path without a slash in front, with the directories above it, for an
 * inode that the caller holds. Refused: a name that is there.
 */
int initramfs_add_node(struct initramfs_build *b, const char *path, struct inode *inode,
		       struct err *e);

/* A regular file's bytes. A program can be run, must be static, and tells the architecture. */
int initramfs_add_file(struct initramfs_build *b, const char *path, const char *source,
		       bool program, struct err *e);
int initramfs_add_text(struct initramfs_build *b, const char *path, const char *text,
		       struct err *e);

/* Refuse what is for another architecture than /init; name says what it is. */
int initramfs_check_arch(const struct initramfs_build *b, enum kernel_arch arch, const char *name,
			 struct err *e);

/* The program for volumes at run time; its file, allocated, without it that beside --init. */
char *initramfs_volume_program(const struct initramfs_options *o);
int initramfs_add_volume_program(struct initramfs_build *b, struct err *e);

/* Policy and manifest, after a check that the guest will not refuse them. Fills b->needs. */
int initramfs_add_plan(struct initramfs_build *b, struct err *e);

/* Refuse a --kernel that could neither unpack nor boot what is packed for it. */
int initramfs_check_kernel(const struct initramfs_build *b, struct err *e);

/* What b->needs and --module ask for of --kernel-modules, and the list of it. */
int initramfs_add_modules(struct initramfs_build *b, struct err *e);

/* When everything else is packed: the marks of init/plan/marks.h, and b->last. */
int initramfs_add_marks(struct initramfs_build *b, struct err *e);

#endif
