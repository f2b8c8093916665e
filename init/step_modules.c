// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The modules that socle-image packed for a modular kernel, in the order that it found. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "init/plan/cmdline.h"
#include "init/tell/log.h"
#include "init/plan/module_params.h"
#include "init/steps.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sys.h"

/* One file name a line; '-' before it: the boot goes on without this one. */
#define OPTIONAL '-'

#define LIST_SIZE 16384

/* What the errors of finit_module(2) mean; the kernel's own words are in its log. */
static const struct {
	int error;
	const char *why;
} reasons[] = {
	{ ENOEXEC, "it was built for another kernel, or is damaged" },
	{ ENOENT, "it needs a symbol that the kernel does not have" },
	{ EKEYREJECTED, "the kernel accepts only modules that are signed with one of its keys" },
	{ ENOKEY, "the kernel has no key for its signature" },
	{ EBADMSG, "its signature is damaged" },
	{ EPERM, "the kernel is locked down, or loads no more modules" },
	{ EINVAL, "the kernel does not accept this file, or a parameter on the command line" },
	{ ENODEV, "there is no device for it" },
	{ ENOSYS, "the kernel was built without modules" },
};

static int refused(const char *name, int error, struct err *e)
{
	const char *why = "";

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].error == error)
			why = reasons[i].why;
	return err_set(e, FAIL_MODULE_FAILED, error, "load the kernel module %s: %s%s%s", name,
		       strerror(error), *why ? ": " : "", why);
}

/* What the command line says to this module, such as dm_verity.require_signatures=1. */
static int find_params(const char *cmdline, const char *file, char params[CMDLINE_SIZE],
		       struct err *e)
{
	static char text[CMDLINE_SIZE];
	int r;

	strcpy(text, cmdline);
	r = module_params(text, file, params, CMDLINE_SIZE);
	return r ? err_result(e, FAIL_MODULE_FAILED, r, "parameters of %s in /proc/cmdline", file) :
		   0;
}

static int load(int dir, const char *name, const char *cmdline, struct err *e)
{
	static char params[CMDLINE_SIZE];
	bool optional = *name == OPTIONAL;
	int r = find_params(cmdline, name + optional, params, e);
	auto_fd int fd = r ? -1 : openat(dir, name + optional, O_RDONLY | O_CLOEXEC);

	if (r)
		return r;
	if (optional && fd < 0)
		return 0;
	if (fd < 0)
		return err_errno(e, FAIL_MODULE_FAILED, "open the kernel module %s", name);
	if (!sys_finit_module(fd, params) || errno == EEXIST || optional)
		return 0;
	return refused(name, errno, e);
}

static int lock_modules(const struct policy *policy, struct err *e)
{
	int r = policy->modules_locked ?
			io_write_text(AT_FDCWD, "/proc/sys/kernel/modules_disabled", "1\n") :
			0;

	/* A kernel that knows no modules has no such file, and none to lock out. */
	if (!r || r == -ENOENT)
		return 0;
	return err_result(e, FAIL_MODULE_FAILED, r, "write /proc/sys/kernel/modules_disabled");
}

/* The modules of the list, each with its parameters. */
static int load_all(int dir, char *list, struct err *e)
{
	static char cmdline[CMDLINE_SIZE];
	ssize_t n = io_read_text(AT_FDCWD, "/proc/cmdline", cmdline, sizeof(cmdline));
	size_t count = 0;
	char *name;
	int r = 0;

	if (n < 0)
		return err_result(e, FAIL_MODULE_FAILED, n, "read /proc/cmdline");
	while (!r && (name = strsep(&list, "\n")))
		if (*name) {
			r = load(dir, name, cmdline, e);
			count++;
		}
	if (!r)
		log_info("%zu kernel modules", count);
	return r;
}

int step_modules(struct boot *b, struct err *e)
{
	static char list[LIST_SIZE];
	auto_fd int dir = open(MODULES_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n = dir < 0 ? -errno : io_read_text(dir, MODULES_LIST, list, sizeof(list));
	int r = 0;

	/* No list: a kernel with everything built in. */
	if (n < 0 && n != -ENOENT)
		return err_result(e, FAIL_MODULE_FAILED, n, "read " MODULES_DIR "/" MODULES_LIST);
	if (n >= 0)
		r = load_all(dir, list, e);
	return r ? r : lock_modules(&b->policy, e);
}
