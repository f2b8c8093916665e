// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/signature.h"

#include <errno.h>
#include <string.h>

#include "lib/base64.h"

#define BASE64 "base64:"

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

static int take_base64(const char *text, struct verity_signature *s, struct err *e)
{
	int size = base64_decode(text, s->bytes, sizeof(s->bytes));
	int r;

	if (size == -E2BIG)
		return too_long(e);
	if (size < 0)
		return invalid(e, "is no base64 text with its padding");
	r = verity_signature_check(s->bytes, (size_t)size, e);
	s->size = (uint16_t)size;
	return r;
}

static int take_path(const char *path, struct verity_signature *s, struct err *e)
{
	if (strlen(path) >= sizeof(s->path))
		return invalid(e, "is named by a path of more than 255 bytes");
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return invalid(e, "is named by a path with control characters");
	strcpy(s->path, path);
	return 0;
}

int verity_signature_parse(const char *text, struct verity_signature *ret, struct err *e)
{
	struct verity_signature s = { .size = 0 };
	int r;

	if (*text == '/')
		r = take_path(text, &s, e);
	else if (!strncmp(text, BASE64, strlen(BASE64)))
		r = take_base64(text + strlen(BASE64), &s, e);
	else
		r = invalid(e, "is neither /FILE in the initramfs nor base64:TEXT");
	if (!r)
		*ret = s;
	return r;
}
