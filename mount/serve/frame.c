// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/frame.h"

static uint32_t read_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void write_be32(uint32_t value, uint8_t *p)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (24 - 8 * i));
}

void frame_read(const uint8_t header[FRAME_HEADER_SIZE], struct frame *ret)
{
	ret->size = read_be32(header);
	ret->stream = read_be32(header + 4);
	ret->type = header[8];
	ret->flags = header[9];
}

void frame_write(const struct frame *f, uint8_t header[FRAME_HEADER_SIZE])
{
	write_be32(f->size, header);
	write_be32(f->stream, header + 4);
	header[8] = f->type;
	header[9] = f->flags;
}
