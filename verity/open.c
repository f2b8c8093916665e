// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/open.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "verity/crypt.h"
#include "verity/libdm.h"

/*
 * What the kernel answers where it does not accept a signature: certs/system_keyring.c
 * and crypto/asymmetric_keys/.
 */
static const struct refusal {
	int errnum;
	const char *why;
} refusals[] = {
	{ ENOKEY, "none of the kernel's keys made it" },
	{ EKEYREJECTED, "it is of another root hash, or its key is revoked" },
	{ EBADMSG, "it is not a detached PKCS#7 message in DER" },
	{ ENOPKG, "the kernel lacks an algorithm that it uses" },
};

/* Of all these libcryptsetup returns ENOKEY alone, but its complaint ends with each in words. */
static const struct refusal *find_refusal(int r, const char *complaint)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const char *words = strerror(refusals[i].errnum);
		size_t length = strlen(words), all = strlen(complaint);

		if (-r == refusals[i].errnum ||
		    (all >= length && !strcmp(complaint + all - length, words)))
			return &refusals[i];
	}
	return NULL;
}

static int open_failed(const struct verity_signature *signature, const char *complaint, int r,
		       struct err *e)
{
	const struct refusal *refusal = signature ? find_refusal(r, complaint) : NULL;

	if (refusal)
		return err_set(e, FAIL_SIGNATURE_REJECTED, refusal->errnum,
			       "the kernel does not accept the signature of the root hash: %s (%s)",
			       refusal->why, complaint);
	if (!signature && r == -ENOKEY)
		return err_set(e, FAIL_SIGNATURE_MISSING, ENOKEY,
			       "the root hash has no signature, and the kernel demands one (%s)",
			       complaint);
	return err_set(e, FAIL_VERITY_OPEN_FAILED, -r, "%s (%s)",
		       complaint[0] ? complaint : "libcryptsetup gives no reason", strerror(-r));
}

/*
 * CRYPT_VERITY_NO_HEADER without CRYPT_VERITY_CREATE_HASH writes nothing: it
 * only tells libcryptsetup the parameters that a superblock would have held.
 */
static int set_parameters(struct crypt_device *cd, const struct verity_parts *parts,
			  const struct verity_params *p)
{
	struct crypt_params_verity params = {
		.hash_name = p->hash_name,
		.data_device = parts->data,
		.fec_device = parts->fec,
		.fec_roots = p->fec_roots,
		.fec_area_offset = p->fec_start_bytes,
		.salt = (const char *)p->salt,
		.salt_size = p->salt_size,
		.hash_type = p->hash_type,
		.data_block_size = p->data_block_size,
		.hash_block_size = p->hash_block_size,
		.data_size = p->data_blocks,
		.hash_area_offset = p->hash_start_block * p->hash_block_size,
		.flags = CRYPT_VERITY_NO_HEADER,
	};

	return crypt_format(cd, CRYPT_VERITY, NULL, NULL, NULL, NULL, 0, &params);
}

static int activate(const char *name, const struct verity_parts *parts,
		    const struct verity_params *p, const struct verity_signature *signature,
		    struct verity_complaint *complaint)
{
	struct crypt_device *cd auto_crypt = NULL;
	uint32_t flags = CRYPT_ACTIVATE_READONLY |
			 CRYPT_ACTIVATE_SHARED | /* a disk may carry more than one volume */
			 (p->ignore_zero_blocks ? CRYPT_ACTIVATE_IGNORE_ZERO_BLOCKS : 0);
	int r = crypt_init(&cd, parts->hash);

	if (r < 0)
		return r;
	verity_crypt_listen(cd, complaint);
	r = set_parameters(cd, parts, p);
	if (r >= 0)
		r = crypt_activate_by_signed_key(cd, name, (const char *)p->root_hash,
						 p->root_hash_size,
						 signature ? (const char *)signature->bytes : NULL,
						 signature ? signature->size : 0, flags);
	return r;
}

int verity_open(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		const struct verity_signature *signature, struct verity_device *ret, struct err *e)
{
	struct verity_complaint complaint = { "" };
	struct dm_info info = { 0 };
	int r;

	if (strlen(name) >= VERITY_NAME_SIZE)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, ENAMETOOLONG, "the name %s is too long",
			       name);
	r = activate(name, parts, p, signature, &complaint);
	if (r < 0)
		return open_failed(signature, complaint.text, r, e);
	/* The number that device-mapper gave, asked for by the name that was just made. */
	if (verity_dm_info(name, &info) <= 0 || !info.read_only) {
		(void)verity_close(name);
		return err_set(e, FAIL_VERITY_OPEN_FAILED, ENODEV,
			       "device-mapper does not know %s, or not as read-only", name);
	}
	verity_dm_device(ret, name, &info);
	return 0;
}

void verity_release(void)
{
	/* device-mapper's control node, which is not close-on-exec */
	dm_lib_release();
}

int verity_close(const char *name)
{
	return crypt_deactivate(NULL, name);
}
