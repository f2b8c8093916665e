// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/io.h"

static int read_file(const char *path, struct verity_signature *ret, struct err *e)
{
	char bytes[VERITY_SIGNATURE_MAX + 1]; /* with io_read_text()'s NUL, or one too many */
	ssize_t n = io_read_text(AT_FDCWD, path, bytes, sizeof(bytes));
	int r;

	if (n < 0 && n != -EFBIG)
		return err_result(e, FAIL_SIGNATURE_INVALID, n,
				  "the signature of the root hash, %s", path);
	r = verity_signature_check((const uint8_t *)bytes, n < 0 ? sizeof(bytes) : (size_t)n, e);
	if (r)
		return err_prefix(e, r, "%s: ", path);
	ret->size = (uint16_t)n;
	memcpy(ret->bytes, bytes, (size_t)n);
	return 0;
}

int verity_signature_load(const struct verity_signature_ref *ref, const uint8_t *pool,
			  struct verity_signature *buf, const struct verity_signature **ret,
			  struct err *e)
{
	const char *path = verity_signature_path(ref, pool);
	int r;

	if (!verity_signature_asked(ref)) {
		*ret = NULL;
		return 0;
	}
	if (path) {
		r = read_file(path, buf, e);
		if (r)
			return r;
	} else {
		buf->size = ref->size;
		memcpy(buf->bytes, pool + ref->at, ref->size);
	}
	*ret = buf;
	return 0;
}
