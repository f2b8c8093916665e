/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_ROOT_SIGNATURE_H
#define IMAGE_BUILD_DISK_ROOT_SIGNATURE_H

#include "lib/err.h"
#include "verity/params.h"

/*
 * What a partition of type root-verity-sig holds: JSON with the root hash, the SHA-256 of
 * the certificate, and the signature; zeros follow. Source: the Discoverable
 * Partitions Specification, "Root Verity Signature Partition"; systemd's repart.c.
 */
#define ROOT_SIGNATURE_ALIGNMENT 16384 /* bytes; as systemd-repart sizes it */

/*
 * signature is a file of PKCS#7 in DER over the root hash in hex, as `openssl smime -sign'
 * makes it; certificate one with an X.509 in PEM or DER. The signature is not checked here, but
 * that it is PKCS#7 and fits the kernel's limit. Allocated.
 */
int root_signature_text(const struct verity_params *v, const char *signature,
			const char *certificate, char **ret, struct err *e);

#endif
