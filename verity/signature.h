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

/* All zero: none is asked for. */
struct verity_signature {
	char path[VERITY_SIGNATURE_PATH_SIZE]; /* absolute, or empty: not in a file */
	uint16_t size;                         /* bytes; 0: none, or still in the file */
	uint8_t bytes[VERITY_SIGNATURE_MAX];
};

static inline bool verity_signature_asked(const struct verity_signature *s)
{
	return s->path[0] || s->size;
}

/*
 * Take "/FILE" or "base64:TEXT", the two forms of systemd's
 * root-hash-signature=. SIGNATURE_INVALID for anything else, and for a text of
 * no bytes, of more than VERITY_SIGNATURE_MAX, or of bytes that are no DER.
 * Pure. *ret is untouched on failure.
 */
int verity_signature_parse(const char *text, struct verity_signature *ret, struct err *e);

/*
 * Make a signature ready for use: *ret is NULL where none is asked for, and else
 * buf with the bytes in it, read from the file if they are in one.
 * SIGNATURE_INVALID where the file is not there or does not hold one.
 */
int verity_signature_load(const struct verity_signature *asked, struct verity_signature *buf,
			  const struct verity_signature **ret, struct err *e);

/* What every signature is: some bytes, not too many, a DER sequence. SIGNATURE_INVALID. */
int verity_signature_check(const uint8_t *bytes, size_t size, struct err *e);

#endif
