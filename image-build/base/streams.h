/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_STREAMS_H
#define IMAGE_BUILD_BASE_STREAMS_H

#include "image-build/base/ring.h"
#include "image-build/base/unpack.h"

/*
 * Unpack what the first reader of one ring gets into another, which is ended in
 * every case: one stream after the other, to the end of the input. For a thread.
 */
void streams_unpack(enum compression compression, uint64_t max, struct ring *from, struct ring *to);

#endif
