// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_input.h"

#include <string.h>

#include "image-build/base/refuse.h"

int tar_input_fill(struct tar_input *in, struct err *e)
{
	const void *bytes;
	ssize_t n;

	if (in->left)
		return 1;
	n = blob_read(in->blob, &bytes, e);
	if (n < 0)
		return (int)n;
	in->chunk = bytes;
	in->left = (size_t)n;
	return n > 0;
}

void tar_input_consume(struct tar_input *in, size_t size)
{
	in->chunk += size;
	in->left -= size;
	in->position += size;
}

int tar_input_take(struct tar_input *in, void *to, uint64_t size, uint64_t *ret, struct err *e)
{
	uint64_t done = 0;
	int r = 1;

	while (done < size && (r = tar_input_fill(in, e)) > 0) {
		size_t n = in->left < size - done ? in->left : (size_t)(size - done);

		if (to)
			memcpy((char *)to + done, in->chunk, n);
		tar_input_consume(in, n);
		done += n;
	}
	*ret = done;
	return r < 0 ? r : 0;
}

int tar_input_cut_short(const struct tar_input *in, const char *where, struct err *e)
{
	return refuse(e, "the tar is cut short in %s, at byte %llu", where,
		      (unsigned long long)in->position);
}

int tar_input_take_all(struct tar_input *in, void *to, uint64_t size, const char *where,
		       struct err *e)
{
	uint64_t got;
	int r = tar_input_take(in, to, size, &got, e);

	return r ? r : got < size ? tar_input_cut_short(in, where, e) : 0;
}
