/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_SIGNATURE_H
#define VERITY_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * The signature of a root hash: a detached PKCS#7 message in DER over the hash
 * as lower-case hexadecimal digits, without a line end. Here it is only carried:
 * the kernel verifies it, with the keys that are built into it, when a verity
 * table is loaded.
 *
 * Source: root_hash_sig_key_desc in the kernel's
 * Documentation/admin-guide/device-mapper/verity.rst.
 */

/* Bytes of DER; RSA with 4096 bits and one certificate in it takes some 2,500. */
#define VERITY_SIGNATURE_MAX 4096

/* Of a file's path, with the closing NUL. */
#define VERITY_SIGNATURE_PATH_SIZE 256

/* One that is ready for the kernel. */
struct verity_signature {
	uint16_t size; /* bytes, not 0 */
	uint8_t bytes[VERITY_SIGNATURE_MAX];
};

/*
 * One that is asked for. Few volumes have any, so what the text says is in a
 * pool that they share. All zero: none is asked for.
 */
struct verity_signature_ref {
	uint32_t at;   /* where it starts in the pool, bytes */
	uint16_t size; /* bytes; 0: none */
	bool in_file;  /* the pool has the file's absolute path, with its NUL */
};

/* A pool that is being filled. */
struct verity_signature_pool {
	uint8_t *bytes;
	size_t size, used;
};

static inline bool verity_signature_asked(const struct verity_signature_ref *ref)
{
	return ref->size;
}

/* The path of the file that a signature is in; NULL where it is in none. */
static inline const char *verity_signature_path(const struct verity_signature_ref *ref,
						const uint8_t *pool)
{
	return ref->in_file ? (const char *)pool + ref->at : NULL;
}

/*
 * Take "/FILE" or "base64:TEXT", the two forms of systemd's
 * root-hash-signature=, into the pool. SIGNATURE_INVALID for anything else, and
 * for a text of no bytes, of more than VERITY_SIGNATURE_MAX, or of bytes that
 * are no DER; LIMIT_EXCEEDED where the pool is full. Pure. *ret and what the
 * pool has in use are untouched on failure.
 */
int verity_signature_parse(const char *text, struct verity_signature_pool *pool,
			   struct verity_signature_ref *ret, struct err *e);

/*
 * Make a signature ready for use: *ret is NULL where none is asked for, and else
 * buf with the bytes in it, read from the file if they are in one.
 * SIGNATURE_INVALID where the file is not there or does not hold one.
 */
int verity_signature_load(const struct verity_signature_ref *ref, const uint8_t *pool,
			  struct verity_signature *buf, const struct verity_signature **ret,
			  struct err *e);

/* What every signature is: some bytes, not too many, a DER sequence. SIGNATURE_INVALID. */
int verity_signature_check(const uint8_t *bytes, size_t size, struct err *e);

#endif
