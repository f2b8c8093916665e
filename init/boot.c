// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "init/plan/assemble.h"
#include "init/tell/log.h"
#include "lib/cleanup.h"
#include "lib/sys.h"

/* An initramfs that holds the agent is a root by itself, whatever root= says. */
static bool initramfs_has(const char *agent)
{
	auto_fd int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = root < 0 ? -1 : sys_open_in_root(root, agent, O_PATH | O_CLOEXEC);
	struct stat st, self;

	/* We are no agent: that would go on for ever. */
	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       !stat("/proc/self/exe", &self) &&
	       (st.st_dev != self.st_dev || st.st_ino != self.st_ino);
}

int boot_settle(struct boot *b, struct err *e)
{
	int r = assemble_end(&b->plan, &b->policy, initramfs_has(b->plan.agent), e);

	if (!r && b->plan.root == PLAN_ROOT_INITRAMFS)
		log_info("the initramfs is the root, agent %s", b->plan.agent);
	else if (!r)
		log_info("%zu layer%s, agent %s", b->plan.layers, b->plan.layers == 1 ? "" : "s",
			 b->plan.agent);
	return r;
}

int boot_diagnose(struct boot *b, int r, struct err *e)
{
	for (size_t i = 0; i < b->open_count; i++)
		if (volume_diagnose(&b->open[i], b->search.uevents, e))
			return -EBADMSG;
	return r;
}
