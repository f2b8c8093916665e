// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/root_signature.h"

#include <json-c/json.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/hex.h"
#include "verity/signature.h"

static X509 *read_certificate(const char *path, struct err *e)
{
	BIO *file = BIO_new_file(path, "rb");
	X509 *found = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;

	if (file && !found && BIO_reset(file) == 0)
		found = d2i_X509_bio(file, NULL);
	if (!file)
		(void)refuse(e, "%s: cannot be opened", path);
	else if (!found)
		(void)refuse(e, "%s: not a certificate in PEM or DER", path);
	BIO_free(file);
	return found;
}

static PKCS7 *read_signature(const char *path, struct err *e)
{
	BIO *file = BIO_new_file(path, "rb");
	PKCS7 *found = file ? d2i_PKCS7_bio(file, NULL) : NULL;

	if (!file)
		(void)refuse(e, "%s: cannot be opened", path);
	else if (!found || !PKCS7_type_is_signed(found))
		(void)refuse(e, "%s: not a PKCS#7 signature in DER", path);
	BIO_free(file);
	if (found && !PKCS7_type_is_signed(found)) {
		PKCS7_free(found);
		found = NULL;
	}
	return found;
}

/* As the kernel does it, but for who vouches for the certificate. */
static int check(PKCS7 *p7, X509 *certificate, const char *root_hash, const char *path,
		 struct err *e)
{
	STACK_OF(X509) *given = sk_X509_new_null();
	BIO *content = BIO_new_mem_buf(root_hash, -1);
	int ok;

	if (!given || !content || !sk_X509_push(given, certificate))
		abort();
	ok = PKCS7_verify(p7, given, NULL, content, NULL,
			  PKCS7_NOVERIFY | PKCS7_NOINTERN | PKCS7_BINARY);
	sk_X509_free(given);
	BIO_free(content);
	return ok == 1 ? 0 :
			 refuse(e, "%s: not a signature of the root hash %s by this certificate",
				path, root_hash);
}

static void add_fingerprint(struct json_object *o, X509 *certificate)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned int size = 0;

	if (X509_digest(certificate, EVP_sha256(), digest, &size) != 1)
		abort();
	json_add_hex(o, "certificateFingerprint", digest, size);
}

static int add_signature(struct json_object *o, PKCS7 *p7, const char *path, struct err *e)
{
	unsigned char *der = NULL;
	int size = i2d_PKCS7(p7, &der);
	char *text auto_text = NULL;

	if (size <= 0)
		abort();
	if (size > VERITY_SIGNATURE_MAX) {
		OPENSSL_free(der);
		return refuse_limit(e, "%s: a signature of %d bytes, at most %d", path, size,
				    VERITY_SIGNATURE_MAX);
	}
	text = memory_zero(1, (size_t)size * 4 / 3 + 8);
	EVP_EncodeBlock((unsigned char *)text, der, size);
	OPENSSL_free(der);
	json_add_text(o, "signature", text);
	return 0;
}

int root_signature_text(const struct verity_params *v, const char *signature,
			const char *certificate, char **ret, struct err *e)
{
	char root_hash[2 * VERITY_DIGEST_MAX + 1];
	struct json_object *o;
	X509 *x = read_certificate(certificate, e);
	PKCS7 *p7 = x ? read_signature(signature, e) : NULL;
	int r = p7 ? 0 : -EINVAL;

	hex_encode(v->root_hash, v->root_hash_size, root_hash);
	o = json_object_new_object();
	json_add_text(o, "rootHash", root_hash);
	if (!r)
		r = check(p7, x, root_hash, signature, e);
	if (!r) {
		add_fingerprint(o, x);
		r = add_signature(o, p7, signature, e);
	}
	if (!r)
		*ret = memory_text(
			json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
								  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	PKCS7_free(p7);
	X509_free(x);
	ERR_clear_error();
	return r;
}
