/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BUNDLE_BUNDLE_H
#define IMAGE_BUILD_BUNDLE_BUNDLE_H

#include <json-c/json.h>

#include "image-build/kernel/arch.h"
#include "lib/err.h"

/*
 * A bundle is a directory with all that a guest is launched from: kernel, initramfs, the
 * command line as the bytes that are handed over, disks, and BUNDLE_MANIFEST, which
 * names every file by size, SHA-256 and SHA-384. It is written last, so a directory
 * without it is none.
 */
#define BUNDLE_KERNEL    "kernel"
#define BUNDLE_INITRAMFS "initramfs"
#define BUNDLE_CMDLINE   "cmdline"
#define BUNDLE_IMAGE     "image.json"
#define BUNDLE_MANIFEST  "manifest.json"

/* {"file", "size", "sha256", "sha384"} of one of its files; the caller's to put. */
int bundle_file(const char *directory, const char *name, struct json_object **ret, struct err *e);

/* What the manifest is made of, when all other files are in their place. */
struct bundle_parts {
	const char *directory;
	const char *agent; /* NULL: socle-init looks for it */
	const char *init;  /* where /init was taken from: "sources" beside it says of what */
	const char *kernel_config; /* an image that tells it or a .config; NULL: not known */
	enum kernel_arch arch;
	struct json_object *image; /* image.json */
};

int bundle_write(const struct bundle_parts *p, struct err *e);

/* A bundle's manifest, checked as far as its version goes; the caller's to put. */
int bundle_read(const char *directory, struct json_object **ret, struct err *e);

/* Refuse a file that is not what such an object says of it. */
int bundle_verify(const char *directory, struct json_object *file, struct err *e);

#endif
