/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_DIGEST_H
#define IMAGE_BUILD_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/uuid.h"

/*
 * Digests as OCI writes them: "sha256:" or "sha512:" and lower-case hex digits
 * (image-spec, descriptor.md). Other algorithms are refused by name.
 */
#define DIGEST_MAX       64 /* bytes */
#define DIGEST_TEXT_SIZE (7 + 2 * DIGEST_MAX + 1)
#define SHA256_SIZE      32

struct digest {
	char algorithm[8]; /* "sha256" */
	size_t size;       /* bytes */
	uint8_t bytes[DIGEST_MAX];
};

int digest_parse(const char *text, struct digest *ret, struct err *e);
void digest_text(const struct digest *d, char text[DIGEST_TEXT_SIZE]);
bool digest_equal(const struct digest *a, const struct digest *b);

/*
 * A digest under way: sha256, sha512, or sha384, which OCI does not have and firmware
 * measures with. Stop it in every case; finish it once at most.
 */
struct hasher {
	void *context;
};

void hasher_start(struct hasher *h, const char *algorithm);
void hasher_add(struct hasher *h, const void *bytes, size_t size);
void hasher_finish(struct hasher *h, struct digest *ret);
void hasher_stop(struct hasher *h);

/* The sha256 of so many bytes of a file from its beginning. */
int digest_file(int fd, uint64_t size, const char *name, struct digest *ret, struct err *e);

/*
 * A UUID that says nothing but "made from these bytes": version 8 of RFC 9562
 * over sha256 of a label and a digest.
 */
void uuid_from_digest(const char *label, const struct digest *d, uint8_t uuid[UUID_SIZE]);

#endif
