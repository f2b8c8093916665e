// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/signature.h"

#include <errno.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/text.h"

#define DER_SEQUENCE 0x30

static int invalid(struct err *e, const char *why)
{
	return err_set(e, FAIL_SIGNATURE_INVALID, EINVAL, "the signature of the root hash %s", why);
}

static int too_long(struct err *e)
{
	return err_set(e, FAIL_SIGNATURE_INVALID, E2BIG,
		       "the signature of the root hash has more than %d bytes",
		       VERITY_SIGNATURE_MAX);
}

static int no_room(const struct verity_signature_pool *pool, struct err *e)
{
	return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
		       "all signatures of root hashes together have more than %zu bytes",
		       pool->size);
}

/* The kernel looks closer; this is what tells PEM, or another file, from DER. */
int verity_signature_check(const uint8_t *bytes, size_t size, struct err *e)
{
	if (!size)
		return invalid(e, "is empty");
	if (size > VERITY_SIGNATURE_MAX)
		return too_long(e);
	if (bytes[0] != DER_SEQUENCE)
		return invalid(e, "is not in DER: its first byte is not that of a sequence");
	return 0;
}

/* Into the free part of a pool; no more of it is in use before the caller says so. */
static int take_base64(const char *text, const struct verity_signature_pool *pool,
		       struct verity_signature_ref *ref, struct err *e)
{
	size_t left = pool->size - pool->used;
	size_t most = left < VERITY_SIGNATURE_MAX ? left : VERITY_SIGNATURE_MAX;
	int size = base64_decode(text, pool->bytes + pool->used, most);

	if (size == -E2BIG)
		return most < VERITY_SIGNATURE_MAX ? no_room(pool, e) : too_long(e);
	if (size < 0)
		return invalid(e, "is not base64 text with its padding");
	ref->size = (uint16_t)size;
	return verity_signature_check(pool->bytes + pool->used, (size_t)size, e);
}

static int take_path(const char *path, const struct verity_signature_pool *pool,
		     struct verity_signature_ref *ref, struct err *e)
{
	size_t size = strlen(path) + 1;

	if (size > VERITY_SIGNATURE_PATH_SIZE)
		return invalid(e, "is named by a path of more than 255 bytes");
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return invalid(e, "is named by a path with control characters");
	if (size > pool->size - pool->used)
		return no_room(pool, e);
	memcpy(pool->bytes + pool->used, path, size);
	ref->size = (uint16_t)size;
	ref->in_file = true;
	return 0;
}

int verity_signature_parse(const char *text, struct verity_signature_pool *pool,
			   struct verity_signature_ref *ret, struct err *e)
{
	struct verity_signature_ref ref = { .at = (uint32_t)pool->used };
	const char *base64 = text_behind(text, "base64:");
	int r;

	if (*text == '/')
		r = take_path(text, pool, &ref, e);
	else if (base64)
		r = take_base64(base64, pool, &ref, e);
	else
		r = invalid(e, "is neither /FILE in the initramfs nor base64:TEXT");
	if (r)
		return r;
	pool->used += ref.size;
	*ret = ref;
	return 0;
}
