// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The kernel's own file systems, and descriptors 0 to 2. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "init/tell/log.h"
#include "init/steps.h"
#include "lib/array.h"
#include "lib/io.h"
#include "lib/sys.h"
#include "mount/fs/explain.h"
#include "mount/fs/make.h"

/* /run may execute: agents keep their programs there. */
static const struct api_mount {
	const char *source, *target, *type;
	unsigned long flags;
	const char *options;
} api_mounts[] = {
	{ "dev", "/dev", "devtmpfs", MS_NOSUID, "mode=755" },
	{ "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL },
	{ "sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL },
	{ "run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=50%" },
};

static int mount_one(const struct api_mount *m, struct err *e)
{
	int r = make_dir(m->target, 0755, e);

	if (r)
		return r;
	/* Busy: it is there already. */
	if (!sys_mount(m->source, m->target, m->type, m->flags, m->options) || errno == EBUSY)
		return 0;
	return errno == ENODEV ?
		       kernel_lacks_fstype(m->type, e) :
		       err_errno(e, FAIL_MOUNT_FAILED, "mount %s on %s", m->type, m->target);
}

/*
 * Without a console the kernel starts us with none of the three open, and the
 * first file that anybody opens would become standard input. With one they are
 * the initramfs' node, which goes away with it: the agent gets devtmpfs' own.
 */
static void open_standard_fds(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (int to = STDIN_FILENO; fd >= 0 && to <= STDERR_FILENO; to++)
		if (fd != to)
			(void)sys_dup2(fd, to);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* A kernel that stays in its panic for ever would keep the guest up. */
static void limit_panic(void)
{
	static const char file[] = "/proc/sys/kernel/panic";
	char text[16];

	if (io_read_text(AT_FDCWD, file, text, sizeof(text)) > 0 && !strcmp(text, "0\n"))
		(void)io_write_text(AT_FDCWD, file, "1\n");
}

int step_api(struct boot *b, struct err *e)
{
	(void)b;
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++) {
		int r = mount_one(&api_mounts[i], e);

		if (r)
			return r;
		if (!i)
			open_standard_fds();
	}
	limit_panic();
	log_open();
	return 0;
}
