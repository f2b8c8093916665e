/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_FRAME_H
#define MOUNT_SERVE_FRAME_H

#include <stdint.h>

/*
 * ttrpc's frames: a header of ten bytes, then data. Numbers are big-endian. What they
 * are is written down in PROTOCOL.md of github.com/containerd/ttrpc. Pure.
 */

#define FRAME_HEADER_SIZE 10
#define FRAME_DATA_MAX    4194304 /* bytes of data; a longer frame is no frame */

enum frame_type {
	FRAME_REQUEST = 1,
	FRAME_RESPONSE = 2, /* the last one of its stream */
	FRAME_STREAM_DATA = 3,
};

#define FRAME_REMOTE_CLOSED 0x01 /* flag: nothing more comes on this stream */

struct frame {
	uint32_t size;   /* bytes of data behind the header */
	uint32_t stream; /* odd: the client's */
	uint8_t type;    /* enum frame_type, or one of a later version */
	uint8_t flags;
};

void frame_read(const uint8_t header[FRAME_HEADER_SIZE], struct frame *ret);
void frame_write(const struct frame *f, uint8_t header[FRAME_HEADER_SIZE]);

#endif
