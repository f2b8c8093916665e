// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The agent takes over as the same PID 1, in the new root. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/tell/log.h"
#include "init/steps.h"
#include "init/root/interpreter.h"
#include "init/root/run_socle.h"
#include "init/root/systemd.h"
#include "init/tell/leave.h"
#include "init/tell/watchdog.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sys.h"
#include "mount/arm_all.h"
#include "init/root/switch_root.h"

#define FILES_MAX 1048576 /* the kernel's default fs.nr_open */

#define AGENT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static bool is_absence(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP || errnum == EACCES;
}

#define INTERPRETERS_MAX 5 /* as many as the kernel follows */

/* The agent may be a script, whose program needs a loader: all of them must be there. */
static int check_interpreters(int root, int agent, struct err *e)
{
	char path[2][INTERPRETER_SIZE];
	auto_fd int fd = -1;

	for (int i = 0; i < INTERPRETERS_MAX && interpreter_of(i ? fd : agent, path[i % 2]); i++) {
		cleanup_fd(&fd);
		fd = sys_open_in_root(root, path[i % 2], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && is_absence(errno))
			return err_errno(e, FAIL_AGENT_EXEC_FAILED,
					 "%s needs %s, which is not in the root",
					 i ? path[(i + 1) % 2] : "it", path[i % 2]);
		if (fd < 0)
			return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s in the new root",
					 path[i % 2]);
	}
	return 0;
}

/*
 * Before the policy turns a bad block into a panic: the agent is there, may be
 * executed, and its first bytes are good.
 */
static int check_agent(const struct boot_plan *plan, struct err *e)
{
	bool in_place = plan->root == PLAN_ROOT_INITRAMFS;
	auto_fd int root = open(in_place ? "/" : BOOT_SYSROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd =
		root < 0 ? -1 :
			   sys_open_in_root(root, plan->agent, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char start[64];

	/* A kernel without it mounts an erofs of LZ4 alone, and then cannot open a file. */
	if (fd < 0 && errno == EOPNOTSUPP)
		return err_errno(e, FAIL_KERNEL_FEATURE_MISSING,
				 "open %s, which is compressed, without CONFIG_EROFS_FS_ZIP",
				 plan->agent);
	if (fd < 0)
		return err_errno(e,
				 is_absence(errno) ? FAIL_AGENT_MISSING : FAIL_DEVICE_READ_FAILED,
				 "open %s in the new root", plan->agent);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(e, FAIL_AGENT_MISSING, ENOENT, "%s is not a file", plan->agent);
	if (!(st.st_mode & 0111))
		return err_set(e, FAIL_AGENT_EXEC_FAILED, EACCES, "%s is not executable",
			       plan->agent);
	if (read(fd, start, sizeof(start)) < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "read %s", plan->agent);
	return err_prefix(e, check_interpreters(root, fd, e),
			  "%s cannot be executed: ", plan->agent);
}

#define EXPEDITED "/sys/kernel/rcu_expedited"

/*
 * The kernel swaps a table when nobody reads through the old one any more. That
 * takes it some ticks of its clock, unless it is told to ask the processors, who
 * have nothing else to do yet. A kernel of one processor only may not have the file.
 */
static int arm(const struct boot *b, struct err *e)
{
	char before[16];
	bool known = io_read_text(AT_FDCWD, EXPEDITED, before, sizeof(before)) > 0;
	int r;

	if (known)
		(void)io_write_text(AT_FDCWD, EXPEDITED, "1\n");
	r = volumes_arm(b->open, b->open_count, b->plan.on_corruption, e);
	if (known)
		(void)io_write_text(AT_FDCWD, EXPEDITED, before);
	return r;
}

/*
 * In the new root: a place for temporary files where it has none. systemd does
 * the same and leaves what is there; an agent without it has nobody to do it.
 */
static int make_tmp_writable(struct err *e)
{
	if (!access("/tmp", W_OK) || errno == ENOENT)
		return 0;
	if (errno != EROFS)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat /tmp");
	if (sys_mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_STRICTATIME, "mode=1777"))
		return err_errno(e, FAIL_MOUNT_FAILED, "mount a tmpfs on /tmp");
	return 0;
}

/*
 * What systemd gives to agents that it starts, and the kernel's 1024 is far
 * below: every container's descriptors pass through the agent. The other thing
 * that Kata's unit has, OOMScoreAdjust=-997, is not for PID 1: the kernel never
 * kills that one, and all that it starts would inherit the number.
 */
static void raise_file_limit(void)
{
	(void)sys_limit_files(FILES_MAX);
}

static bool proves_anything(const struct boot *b)
{
	for (size_t i = 0; i < b->open_count; i++)
		if (b->open[i].volume->proof != VOLUME_RAW)
			return true;
	return false;
}

static int hide_generators(const struct boot *b, struct err *e)
{
	int r = proves_anything(b) ? systemd_hide_generator(SYSTEMD_GPT_AUTO, e) : 0;

	return r || !b->plan.extensions ? r : systemd_hide_generator(SYSTEMD_KATA_EXTENSIONS, e);
}

static int fill_run(const struct boot *b, struct err *e)
{
	int r = run_socle_policy(e);

	if (r || !b->plan.volumes)
		return r;
	return run_socle_program(b->plan.root == PLAN_ROOT_INITRAMFS, e);
}

/* Whatever fails from here on is told through what was opened before. */
static int enter_root(struct boot *b, struct err *e)
{
	int r;

	leave_keep_open(&b->plan.failure);
	device_search_close(&b->search);
	if (b->plan.root == PLAN_ROOT_INITRAMFS)
		return 0;
	r = switch_root(BOOT_SYSROOT, e);
	return r ? r : make_tmp_writable(e);
}

int step_handover(struct boot *b, struct err *e)
{
	char *argv[] = { b->plan.agent, NULL };
	char path[] = AGENT_PATH;
	char *envp[] = { path, NULL };
	int r = check_agent(&b->plan, e);

	/* What was read so far may have met a bad block without needing it. */
	r = boot_diagnose(b, r, e);
	if (!r)
		r = arm(b, e);
	if (!r)
		r = hide_generators(b, e);
	if (!r)
		r = fill_run(b, e);
	if (!r)
		r = enter_root(b, e);
	if (r)
		return r;
	raise_file_limit();
	watchdog_stop();
	log_info("starting %s", b->plan.agent);
	log_limit_again();
	(void)sys_execve(b->plan.agent, argv, envp);
	return err_errno(e, FAIL_AGENT_EXEC_FAILED, "execute %s", b->plan.agent);
}
