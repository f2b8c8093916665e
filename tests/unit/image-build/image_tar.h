/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_IMAGE_BUILD_IMAGE_TAR_H
#define TESTS_UNIT_IMAGE_BUILD_IMAGE_TAR_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/tree/layer.h"

/*
 * Tars as a test wants them, right or wrong, made byte by byte and not by the
 * code under test; and trees as text, to compare with what is expected.
 */
struct patch {
	size_t at; /* in the header */
	const char *bytes;
	size_t size;
};

#define PATCHES_MAX 3
#define PATCH(offset, text)                                                                        \
	{                                                                                          \
		offset, text, sizeof(text) - 1                                                     \
	}

struct member {
	const char *name;
	char type;        /* 0: '0', a regular file; TYPE_NUL: 0 */
	const char *data; /* text; NULL for none */
	size_t data_size; /* bytes, where it is not text; else 0 */
	const char *link;
	unsigned int mode; /* 0: 0755 for a directory, 0644 for the rest */
	unsigned int uid;
	unsigned int mtime;
	unsigned int major, minor;
	const char *xattr;                 /* "name=value", in a pax header */
	const char *pax;                   /* records of a pax header, as they are */
	struct patch patches[PATCHES_MAX]; /* over the header, before its checksum is made */
};

#define TYPE_NUL '\377'

struct bytes {
	uint8_t *at;
	size_t size, room;
};

void bytes_add(struct bytes *b, const void *from, size_t size);
void bytes_free(struct bytes *b);

/* Members up to one without a name; then as many blocks of zeroes as end says. */
void tar_add(struct bytes *b, const struct member *members);
void tar_end(struct bytes *b, size_t blocks);

/* A descriptor to read these bytes from. */
int bytes_open(const struct bytes *b);

/* layer_read() of an unpacked tar, for a layer that is initialised or will be here. */
int add_changes(struct layer *l, const struct bytes *b, struct err *e);
int read_changes(struct layer *l, const struct bytes *b, struct err *e);
/* The same, and resolve_layer() as the only one. */
int read_tar(struct layer *l, const struct bytes *b, struct err *e);
int read_members(struct layer *l, const struct member *members, struct err *e);
/* Layers of these members, members[0] the bottom, each resolved over those below. */
int read_layers(struct layer *layers, size_t count, const struct member *const *members,
		struct err *e);

/*
 * One line a name, in order: "/path mode uid mtime rest", where rest is a
 * file's content, a link's "-> target", a device's numbers, or a directory's
 * "opaque"; "=N" follows for an inode with N names, and "{name=value}" for each
 * attribute. A whiteout is "/path whiteout". Allocated.
 */
char *tree_text(const struct tree *t);

#endif
