// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/file.h"

int verity_signature_load(const struct verity_signature *asked, struct verity_signature *buf,
			  const struct verity_signature **ret, struct err *e)
{
	char bytes[VERITY_SIGNATURE_MAX + 1]; /* with file_read_at()'s NUL, or one too many */
	ssize_t n;
	int r;

	if (!asked->path[0]) {
		*ret = asked->size ? asked : NULL;
		return 0;
	}
	n = file_read_at(AT_FDCWD, asked->path, bytes, sizeof(bytes));
	if (n < 0 && n != -EFBIG)
		return err_result(e, FAIL_SIGNATURE_INVALID, n,
				  "the signature of the root hash, %s", asked->path);
	r = verity_signature_check((const uint8_t *)bytes, n < 0 ? sizeof(bytes) : (size_t)n, e);
	if (r) {
		err_prefix(e, "%s: ", asked->path);
		return r;
	}
	*buf = *asked;
	buf->size = (uint16_t)n;
	memcpy(buf->bytes, bytes, (size_t)n);
	*ret = buf;
	return 0;
}
