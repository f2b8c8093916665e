// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/array.h"
#include "lib/sys.h"
#include "verity/dm.h"
#include "verity/kernel.h"

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

static const struct refusal *find_refusal(int r)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (-r == refusals[i].errnum)
			return &refusals[i];
	return NULL;
}

/*
 * ioctl gives a number alone; the kernel's log has a line with what it is about:
 * "device-mapper: table: 253:0: verity: Invalid salt (-EINVAL)". Its words, in
 * log, which is cut up; "" where there is none.
 */
static const char *find_words(dev_t number, char *log, int size)
{
	char beginning[64];
	const char *words = "", *line;
	int n = sys_kernel_log(log, size - 1);

	log[n < 0 ? 0 : n] = '\0';
	snprintf(beginning, sizeof(beginning),
		 "device-mapper: table: %u:%u: verity: ", major(number), minor(number));
	while ((line = strsep(&log, "\n"))) {
		const char *at = strstr(line, beginning);

		if (at)
			words = at + strlen(beginning);
	}
	return words;
}

static int load_failed(const char *name, dev_t number, const struct verity_params *p,
		       const struct verity_signature *signature, int r, struct err *e)
{
	const struct refusal *refusal = signature ? find_refusal(r) : NULL;
	char log[4096];
	const char *words = find_words(number, log, sizeof(log));

	if (refusal)
		return err_set(e, FAIL_SIGNATURE_REJECTED, refusal->errnum,
			       "the kernel does not accept the signature of the root hash: %s (%s)",
			       refusal->why, words);
	if (r == -ENOKEY)
		return err_set(e, FAIL_SIGNATURE_MISSING, ENOKEY,
			       "the root hash has no signature, and the kernel demands one (%s)",
			       words);
	/* The devices are named by number, so nothing else is looked up by name. */
	if (r == -ENOENT)
		return verity_kernel_lacks_hash(p->hash_name, e);
	return err_result(e, FAIL_VERITY_OPEN_FAILED, r, "the kernel refuses the table of %s: %s",
			  name, *words ? words : "its log does not say why");
}

void verity_key_name(const char *name, char ret[VERITY_KEY_SIZE])
{
	snprintf(ret, VERITY_KEY_SIZE, "socle:%s", name);
}

/* The kernel asks for the key, by its name, while it reads the line. */
static int load_signed(const char *name, const struct dm_target *target,
		       const struct verity_signature *signature)
{
	char key_name[VERITY_KEY_SIZE];
	int r, key;

	verity_key_name(name, key_name);
	key = sys_add_key(key_name, signature->bytes, signature->size);
	if (key < 0)
		return -errno;
	r = dm_load(name, target);
	(void)sys_unlink_key(key);
	return r;
}

static int load(const char *name, dev_t number, const struct verity_parts *parts,
		const struct verity_params *p, const struct verity_signature *signature,
		struct err *e)
{
	char line[VERITY_TABLE_SIZE], key_name[VERITY_KEY_SIZE];
	const struct dm_target target = {
		.sectors = p->data_blocks * (p->data_block_size / 512),
		.type = "verity",
		.line = line,
		.read_only = true,
	};
	int r;

	verity_key_name(name, key_name);
	r = verity_table_print(p, parts, signature ? key_name : NULL, line, sizeof(line));
	if (r)
		return err_result(e, FAIL_VERITY_OPEN_FAILED, r,
				  "there is no table for %s with these parameters", name);
	r = signature ? load_signed(name, &target, signature) : dm_load(name, &target);
	return r ? load_failed(name, number, p, signature, r, e) : 0;
}

static int open_device(const char *name, const struct verity_parts *parts,
		       const struct verity_params *p, const struct verity_signature *signature,
		       dev_t number, struct err *e)
{
	int r = load(name, number, parts, p, signature, e);

	if (r)
		return r;
	r = dm_resume(name);
	return r ? err_result(e, FAIL_VERITY_OPEN_FAILED, r, "activate %s", name) : 0;
}

int verity_open(const char *name, const char *mark, const struct verity_parts *parts,
		const struct verity_params *p, const struct verity_signature *signature,
		struct mapped_device *ret, struct err *e)
{
	/* As cryptsetup names a device: its tools and systemd know it so. */
	char uuid[DM_UUID_SIZE];
	dev_t number;
	int r;

	if (strlen(name) >= MAPPED_NAME_SIZE)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, ENAMETOOLONG, "the name %s is too long",
			       name);
	snprintf(uuid, sizeof(uuid), "CRYPT-VERITY-%s%s%s", mark, *mark ? "-" : "", name);
	r = dm_create(name, uuid, &number);
	if (r == -EBUSY)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, EBUSY, "there is a device %s already",
			       name);
	if (r)
		return err_result(e, FAIL_VERITY_OPEN_FAILED, r, "create %s", name);
	r = open_device(name, parts, p, signature, number, e);
	if (r) {
		(void)dm_remove(name);
		return r;
	}
	*ret = mapped_device(name, number);
	return 0;
}

int verity_link(const struct mapped_device *dev, struct err *e)
{
	char target[32], path[sizeof("/dev/mapper/") + MAPPED_NAME_SIZE];

	snprintf(target, sizeof(target), "../dm-%u", dev->minor);
	snprintf(path, sizeof(path), "/dev/mapper/%s", dev->name);
	if (sys_symlink(target, path) && errno != EEXIST)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "make the link %s", path);
	return 0;
}
