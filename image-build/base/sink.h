/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_SINK_H
#define IMAGE_BUILD_BASE_SINK_H

#include "image-build/base/digest.h"
#include "image-build/base/unpack.h"
#include "lib/err.h"

/*
 * Bytes on their way into a file, packed or not. The same bytes in give the
 * same bytes out: gzip's header has neither name nor time, zstd runs in one
 * thread, the levels are fixed.
 */
struct sink {
	int fd;                /* borrowed; -1: nothing is written */
	struct hasher *hasher; /* all bytes taken are added to it; may be NULL */
	enum compression compression;
	uint64_t size;    /* bytes taken so far */
	uint64_t written; /* bytes given out so far */
	void *encoder;
	uint8_t *out;
};

/* "none", "gzip" or "zstd" into an enum compression: for an option table. */
int sink_parse_compression(const char *text, void *field, struct err *e);

/* Packed by gzip, by zstd or not at all. */
int sink_open(struct sink *s, int fd, enum compression compression, struct err *e);
int sink_put(struct sink *s, const void *bytes, size_t size, struct err *e);
/* Write the end of the stream, and zeroes until what was written is a multiple of unit. */
int sink_finish(struct sink *s, unsigned int unit, struct err *e);
void sink_close(struct sink *s);

#endif
