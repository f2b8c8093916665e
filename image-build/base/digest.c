// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"
#include "lib/hex.h"
#include "lib/io.h"

static const struct {
	const char *name;
	size_t size;
} algorithms[] = {
	{ "sha256", 32 },
	{ "sha512", 64 },
};

int digest_parse(const char *text, struct digest *ret, struct err *e)
{
	size_t prefix = strcspn(text, ":");
	struct digest d = { .size = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (strlen(algorithms[i].name) != prefix || !text[prefix] ||
		    memcmp(text, algorithms[i].name, prefix))
			continue;
		snprintf(d.algorithm, sizeof(d.algorithm), "%s", algorithms[i].name);
		d.size = algorithms[i].size;
	}
	if (!d.size)
		return refuse(e, "digest \"%.80s\" is neither sha256: nor sha512:", text);
	text += prefix + 1;
	if (strspn(text, "0123456789abcdef") != strlen(text) || strlen(text) != 2 * d.size)
		return refuse(e, "digest \"%s:%.140s\" does not have %zu lower-case hex digits",
			      d.algorithm, text, 2 * d.size);
	hex_decode(text, d.bytes, d.size);
	*ret = d;
	return 0;
}

void digest_text(const struct digest *d, char text[DIGEST_TEXT_SIZE])
{
	char hex[2 * DIGEST_MAX + 1];

	hex_encode(d->bytes, d->size, hex);
	snprintf(text, DIGEST_TEXT_SIZE, "%.6s:%s", d->algorithm, hex);
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return a->size == b->size && !strcmp(a->algorithm, b->algorithm) &&
	       !memcmp(a->bytes, b->bytes, a->size);
}

/* libcrypto's own hashes cannot fail but for want of memory. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

void hasher_start(struct hasher *h, const char *algorithm)
{
	h->context = EVP_MD_CTX_new();
	must(h->context && EVP_DigestInit_ex(h->context,
					     !strcmp(algorithm, "sha512") ? EVP_sha512() :
					     !strcmp(algorithm, "sha384") ? EVP_sha384() :
									    EVP_sha256(),
					     NULL));
}

void hasher_add(struct hasher *h, const void *bytes, size_t size)
{
	must(EVP_DigestUpdate(h->context, bytes, size));
}

void hasher_finish(struct hasher *h, struct digest *ret)
{
	const EVP_MD *md = EVP_MD_CTX_get0_md(h->context);
	unsigned int size = 0;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->algorithm, sizeof(ret->algorithm), "%s",
		 EVP_MD_get_type(md) == NID_sha512 ? "sha512" :
		 EVP_MD_get_type(md) == NID_sha384 ? "sha384" :
						     "sha256");
	must(EVP_DigestFinal_ex(h->context, ret->bytes, &size));
	ret->size = size;
}

void hasher_stop(struct hasher *h)
{
	EVP_MD_CTX_free(h->context);
	h->context = NULL;
}

int digest_file(int fd, uint64_t size, const char *name, struct digest *ret, struct err *e)
{
	/* What was read should still be in the cache when it is hashed. */
	size_t room = 128 << 10;
	char *buf auto_text = memory_zero(1, room);
	struct hasher h;
	int r = 0;

	hasher_start(&h, "sha256");
	for (uint64_t at = 0; !r && at < size;) {
		size_t want = size - at < room ? (size_t)(size - at) : room;
		ssize_t n = io_pread(fd, buf, want, at);

		if (n < 0)
			r = system_result(e, n, "read %s", name);
		else if ((size_t)n != want)
			r = refuse(e, "%s ends before its %llu bytes", name,
				   (unsigned long long)size);
		else
			hasher_add(&h, buf, want);
		at += want;
	}
	if (!r)
		hasher_finish(&h, ret);
	hasher_stop(&h);
	return r;
}

void uuid_from_digest(const char *label, const struct digest *d, uint8_t uuid[UUID_SIZE])
{
	struct digest sum;
	struct hasher h;

	hasher_start(&h, "sha256");
	hasher_add(&h, label, strlen(label) + 1);
	hasher_add(&h, d->bytes, d->size);
	hasher_finish(&h, &sum);
	hasher_stop(&h);
	memcpy(uuid, sum.bytes, UUID_SIZE);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}
