/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_VERITY_H
#define TESTS_UNIT_FAKE_VERITY_H

/*
 * The functions of verity/ that need a kernel, without it: each is a line
 * among fake_sys' calls and fails when it is its turn. They are defined here,
 * so one file of a program includes this, and they win over the real ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/klog.h>
#include <sys/xattr.h>

#include "lib/io.h"
#include "lib/together.h"
#include "tests/unit/fake_sys.h"
#include "verity/adopt.h"
#include "verity/arm.h"
#include "verity/check.h"
#include "verity/kernel.h"
#include "verity/open.h"

static unsigned int fake_minor;        /* of the next device */
static int fake_adopts;                /* what verity_adopt() finds: 1 or 0 */
static const char *fake_swap_reads;    /* a file whose line stands behind each swap */
static bool fake_armed;                /* the policy is in the tables already */
static const char *fake_bad_device;    /* the kernel saw a bad block on it; NULL: on none */
static int fake_xattr_errno = ENODATA; /* of reading an attribute; 0: it is there */

static inline void fake_verity_reset(unsigned int fail_call, int fail_errno)
{
	fake_sys_reset(fail_call, fail_errno);
	fake_minor = 0;
	fake_adopts = 0;
	fake_armed = false;
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

int verity_open(const char *name, const char *mark, const struct verity_parts *parts,
		const struct verity_params *p, const struct verity_signature *signature,
		struct mapped_device *ret, struct err *e)
{
	assert_string_equal(mark, ""); /* the boot has none */
	if (fake_sys_call("verity_open %s data=%u:%u hash=%u:%u fec=%u:%u blocks=%llu%s\n", name,
			  major(parts->data), minor(parts->data), major(parts->hash),
			  minor(parts->hash), major(parts->fec), minor(parts->fec),
			  (unsigned long long)p->data_blocks, fake_signature(signature)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "open");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->major = 253;
	ret->minor = fake_minor++;
	snprintf(ret->path, sizeof(ret->path), "/dev/dm-%u", ret->minor);
	return 0;
}

int verity_adopt(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		 struct mapped_device *ret, struct err *e)
{
	(void)p;
	if (fake_sys_call("verity_adopt %s %u:%u %u:%u\n", name, major(parts->data),
			  minor(parts->data), major(parts->hash), minor(parts->hash)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "adopt");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return fake_adopts;
}

int verity_link(const struct mapped_device *dev, struct err *e)
{
	if (fake_sys_call("verity_link %s\n", dev->name))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "link");
	return 0;
}

int verity_prove(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		 struct err *e)
{
	(void)p;
	(void)uevents;
	if (fake_sys_call("verity_prove %s\n", dev->name))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG, "the top does not match");
	return 0;
}

int verity_diagnose(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		    struct err *e)
{
	(void)p;
	(void)uevents;
	if (!fake_bad_device || strcmp(dev->name, fake_bad_device))
		return 0;
	(void)err_set(e, FAIL_DATA_CORRUPT, EBADMSG, "a block does not match");
	return 1;
}

int verity_arm_load(const struct mapped_device *dev, enum verity_corruption policy,
		    const struct verity_signature *signature, struct err *e)
{
	if (fake_sys_call("verity_arm %s %u%s\n", dev->name, (unsigned int)policy,
			  fake_signature(signature)))
		return err_errno(e, FAIL_VERITY_OPEN_FAILED, "arm");
	return fake_armed ? 0 : 1;
}

int verity_arm_swap(const struct mapped_device *dev)
{
	char text[16] = "";

	if (fake_swap_reads)
		(void)io_read_text(AT_FDCWD, fake_swap_reads, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return fake_sys_call("verity_swap %s%s%s\n", dev->name, *text ? " " : "", text) ? -errno :
											  0;
}

int verity_arm_failed(const struct mapped_device *dev, int r, struct err *e)
{
	return err_result(e, FAIL_VERITY_OPEN_FAILED, r, "swap %s", dev->name);
}

/* One after the other: the log has an order. */
void together(void (*run)(void *item), void *items, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run((char *)items + i * size);
}

int verity_kernel_check(struct err *e)
{
	if (fake_sys_call("verity_kernel_check\n"))
		return err_errno(e, FAIL_KERNEL_FEATURE_MISSING, "no verity");
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
