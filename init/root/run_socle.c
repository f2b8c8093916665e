// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/root/run_socle.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/plan/plan.h"
#include "lib/cleanup.h"
#include "lib/sys.h"
#include "mount/fs/make.h"
#include "mount/policy_read.h"

#define DEFAULT_POLICY "verity=required\n"
#define PROGRAM        RUN_SOCLE PLAN_VOLUME_PROGRAM

/* Whatever has the name already is not ours, and not measured. */
static int create(const char *path, mode_t mode, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	return fd < 0 ? err_errno(e, FAIL_SYSTEM_CALL_FAILED, "create %s", path) : fd;
}

static int copy(int from, const char *to, mode_t mode, struct err *e)
{
	auto_fd int fd = create(to, mode, e);
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	while (n > 0)
		n = sendfile(fd, from, NULL, 1 << 20);
	return n < 0 ? err_errno(e, FAIL_SYSTEM_CALL_FAILED, "write %s", to) : 0;
}

static int write_default(const char *to, struct err *e)
{
	auto_fd int fd = create(to, 0444, e);
	ssize_t size = sizeof(DEFAULT_POLICY) - 1;

	if (fd < 0)
		return fd;
	if (write(fd, DEFAULT_POLICY, (size_t)size) != size)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "write %s", to);
	return 0;
}

int run_socle_policy(struct err *e)
{
	auto_fd int packed = open(POLICY_FILE, O_RDONLY | O_CLOEXEC);
	int r;

	if (packed < 0 && errno != ENOENT)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", POLICY_FILE);
	r = make_dir(RUN_SOCLE, 0755, e);
	if (r)
		return r;
	return packed < 0 ? write_default(POLICY_RUN_FILE, e) :
			    copy(packed, POLICY_RUN_FILE, 0444, e);
}

int run_socle_program(bool in_place, struct err *e)
{
	auto_fd int packed = open(PLAN_VOLUME_PROGRAM, O_RDONLY | O_CLOEXEC);

	if (packed < 0 && errno == ENOENT)
		return err_set(e, FAIL_PROGRAM_MISSING, ENOENT,
			       "socle.volumes=yes, and the initramfs has no %s",
			       PLAN_VOLUME_PROGRAM);
	if (packed < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open %s", PLAN_VOLUME_PROGRAM);
	if (!in_place)
		return copy(packed, PROGRAM, 0755, e);
	if (sys_symlink(PLAN_VOLUME_PROGRAM, PROGRAM))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "create %s", PROGRAM);
	return 0;
}
