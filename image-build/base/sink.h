/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_SINK_H
#define IMAGE_BUILD_BASE_SINK_H

#include "image-build/base/blob.h"
#include "lib/err.h"

/*
 * Bytes on their way into a file, packed or not. The same bytes in give the
 * same bytes out: gzip's header has neither name nor time, zstd runs in one
 * thread, the levels are fixed.
 */
struct sink {
	int fd; /* borrowed */
	enum compression compression;
	uint64_t size; /* bytes taken so far */
	void *encoder;
	uint8_t *out;
};

/* "none", "gzip" or "zstd" into an enum compression: for an option table. */
int sink_parse_compression(const char *text, void *field, struct err *e);

int sink_open(struct sink *s, int fd, enum compression compression, struct err *e);
int sink_put(struct sink *s, const void *bytes, size_t size, struct err *e);
/* Write the end of the stream. */
int sink_finish(struct sink *s, struct err *e);
void sink_close(struct sink *s);

#endif
