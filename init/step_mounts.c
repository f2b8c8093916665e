// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The layers become one root. */
#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>

#include "init/log.h"
#include "init/steps.h"
#include "lib/sys.h"
#include "mount/overlay.h"

#define LAYER_PATH_SIZE (sizeof(BOOT_LAYERS) + 24)

static int make_dir(const char *path, struct err *e)
{
	if (sys_mkdir(path, 0755) && errno != EEXIST)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "make %s", path);
	return 0;
}

static int mount_layers(struct boot *b, char paths[][LAYER_PATH_SIZE], struct err *e)
{
	int r = make_dir(BOOT_LAYERS, e);

	for (size_t i = 0; !r && i < b->open_count; i++) {
		snprintf(paths[i], LAYER_PATH_SIZE, BOOT_LAYERS "/%zu", i);
		r = make_dir(paths[i], e);
		if (!r)
			r = volume_mount(&b->open[i], paths[i], false, e);
	}
	return r;
}

/* The overlay keeps mounts of its own; these have done their work. */
static int detach(const char *path, struct err *e)
{
	if (sys_umount(path, MNT_DETACH))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "unmount %s", path);
	return 0;
}

static int detach_all(struct boot *b, char paths[][LAYER_PATH_SIZE], struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < b->open_count; i++)
		r = detach(paths[i], e);
	if (!r && b->plan.upper == PLAN_UPPER_TMPFS)
		r = detach(BOOT_UPPER, e);
	return r;
}

static int make_upper(struct boot *b, struct err *e)
{
	int r = make_dir(BOOT_UPPER, e);

	return r ? r : overlay_make_upper(BOOT_UPPER, b->plan.upper_size, e);
}

static int mount_overlay(struct boot *b, struct err *e)
{
	static char paths[PLAN_LAYERS_MAX][LAYER_PATH_SIZE];
	static const char *lowerdirs[PLAN_LAYERS_MAX];
	struct overlay overlay = {
		.lowerdirs = lowerdirs,
		.count = b->open_count,
		.target = BOOT_SYSROOT,
	};
	int r = mount_layers(b, paths, e);

	for (size_t i = 0; i < b->open_count; i++)
		lowerdirs[i] = paths[i];
	if (!r && b->plan.upper == PLAN_UPPER_TMPFS) {
		overlay.upperdir = BOOT_UPPER "/upper";
		overlay.workdir = BOOT_UPPER "/work";
		r = make_upper(b, e);
	}
	if (!r)
		r = overlay_mount(&overlay, e);
	if (!r)
		r = detach_all(b, paths, e);
	return r;
}

int step_mounts(struct boot *b, struct err *e)
{
	int r = make_dir(BOOT_SYSROOT, e);

	/* overlayfs takes no single layer without an upper; it is a root by itself. */
	if (!r && b->open_count == 1 && b->plan.upper == PLAN_UPPER_NONE)
		r = volume_mount(&b->open[0], BOOT_SYSROOT, true, e);
	else if (!r)
		r = mount_overlay(b, e);
	return r ? boot_diagnose(b, r, e) : 0;
}
