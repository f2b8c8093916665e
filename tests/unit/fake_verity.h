/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_VERITY_H
#define TESTS_UNIT_FAKE_VERITY_H

/*
 * The functions of verity/ that need a kernel, without it: each is a line
 * among fake_sys' calls and fails when it is its turn. They are defined here,
 * so one file of a program includes this, and they win over the real ones.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/klog.h>
#include <sys/xattr.h>

#include "tests/unit/fake_sys.h"
#include "verity/adopt.h"
#include "verity/arm.h"
#include "verity/check.h"
#include "verity/kernel.h"
#include "verity/open.h"

static unsigned int fake_minor;        /* of the next device */
static int fake_adopts;                /* what verity_adopt() finds: 1 or 0 */
static const char *fake_bad_device;    /* the kernel saw a bad block on it; NULL: on none */
static int fake_xattr_errno = ENODATA; /* of reading an attribute; 0: it is there */

static inline void fake_verity_reset(unsigned int fail_call, int fail_errno)
{
	fake_sys_reset(fail_call, fail_errno);
	fake_minor = 0;
	fake_adopts = 0;
	fake_bad_device = NULL;
	fake_xattr_errno = ENODATA;
}

/* Behind what is done with it: its size. */
static inline const char *fake_signature(const struct verity_signature *s)
{
	static char text[32];

	snprintf(text, sizeof(text), " signature=%u", s ? s->size : 0);
	return s ? text : "";
}

int verity_open(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		const struct verity_signature *signature, struct verity_device *ret, struct err *e)
{
	if (fake_sys_call("verity_open %s data=%s hash=%s fec=%s blocks=%llu%s\n", name,
			  parts->data, parts->hash, parts->fec ? parts->fec : "-",
			  (unsigned long long)p->data_blocks, fake_signature(signature)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "open");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->major = 253;
	ret->minor = fake_minor++;
	snprintf(ret->path, sizeof(ret->path), "/dev/dm-%u", ret->minor);
	return 0;
}

int verity_adopt(const char *name, dev_t data, dev_t hash, const struct verity_params *p,
		 struct verity_device *ret, struct err *e)
{
	(void)p;
	if (fake_sys_call("verity_adopt %s %u:%u %u:%u\n", name, major(data), minor(data),
			  major(hash), minor(hash)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "adopt");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return fake_adopts;
}

int verity_close(const char *name)
{
	return fake_sys_call("verity_close %s\n", name);
}

void verity_release(void)
{
	(void)fake_sys_call("verity_release\n");
}

int verity_prove(const struct verity_device *dev, const struct verity_params *p, int uevents,
		 struct err *e)
{
	(void)p;
	(void)uevents;
	if (fake_sys_call("verity_prove %s\n", dev->name))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG, "the top does not match");
	return 0;
}

int verity_diagnose(const struct verity_device *dev, const struct verity_params *p, int uevents,
		    struct err *e)
{
	(void)p;
	(void)uevents;
	if (!fake_bad_device || strcmp(dev->name, fake_bad_device))
		return 0;
	(void)err_set(e, FAIL_DATA_CORRUPT, EBADMSG, "a block does not match");
	return 1;
}

int verity_arm(const struct verity_device *dev, enum verity_corruption policy,
	       const struct verity_signature *signature, struct err *e)
{
	if (fake_sys_call("verity_arm %s %u%s\n", dev->name, (unsigned int)policy,
			  fake_signature(signature)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "arm");
	return 0;
}

int verity_kernel_check(const char *hash_name, struct err *e)
{
	if (fake_sys_call("verity_kernel_check %s\n", hash_name))
		return err_errno(e, FAIL_KERNEL_FEATURE_MISSING, "no %s", hash_name);
	return 0;
}

int verity_kernel_check_signatures(int sysfs, struct err *e)
{
	(void)sysfs;
	if (fake_sys_call("verity_kernel_check_signatures\n"))
		return err_errno(e, FAIL_KERNEL_FEATURE_MISSING, "no signatures");
	return 0;
}

/* The kernel's log, which is this machine's. */
int klogctl(int action, char *buf, int size)
{
	(void)action;
	(void)buf;
	(void)size;
	return 0;
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	(void)path;
	(void)name;
	(void)value;
	(void)size;
	errno = fake_xattr_errno;
	return errno ? -1 : 1;
}

#endif
