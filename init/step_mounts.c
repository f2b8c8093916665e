// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The volumes become one root. */
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "init/steps.h"
#include "lib/sys.h"
#include "mount/fs/make.h"
#include "mount/fs/overlay.h"
#include "mount/fs/tmpfs.h"
#include "mount/mount.h"
#include "init/root/volatile.h"
#include "init/tell/log.h"
#include "mount/scratch.h"

#define LAYER_PATH_SIZE (sizeof(BOOT_LAYERS) + 24)

static int mount_layers(struct boot *b, char paths[][LAYER_PATH_SIZE], struct err *e)
{
	int r = make_dir(BOOT_LAYERS, 0755, e);

	for (size_t i = 0; !r && i < b->plan.layers; i++) {
		snprintf(paths[i], LAYER_PATH_SIZE, BOOT_LAYERS "/%zu", i);
		r = make_dir(paths[i], 0755, e);
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

	for (size_t i = 0; !r && i < b->plan.layers; i++)
		r = detach(paths[i], e);
	if (!r && b->plan.upper.kind != UPPER_NONE)
		r = detach(BOOT_UPPER, e);
	return r;
}

static int mount_scratch(struct boot *b, struct err *e)
{
	const struct blockdev *disk = &b->scratch_wish->found;
	const struct upper *u = &b->plan.upper;
	int r = scratch_open(disk, u, "socle-upper", &b->scratch, e);

	if (!r)
		r = scratch_mount(&b->scratch, BOOT_UPPER, e);
	if (!r)
		log_info("what is written goes to %s, %s", disk->name,
			 !u->encrypted ? "not encrypted" :
			 u->integrity  ? "encrypted, with integrity" :
					 "encrypted");
	return err_volume(e, r, "upper");
}

static int make_upper(struct boot *b, struct err *e)
{
	int r = make_dir(BOOT_UPPER, 0755, e);

	if (!r)
		r = b->plan.upper.kind == UPPER_DISK ?
			    mount_scratch(b, e) :
			    tmpfs_mount("socle-upper", BOOT_UPPER, b->plan.upper.size,
					FAIL_OVERLAY_FAILED, e);
	return r ? r : overlay_make_upper(BOOT_UPPER, e);
}

static int mount_overlay(struct boot *b, struct err *e)
{
	static char paths[LAYERS_MAX][LAYER_PATH_SIZE];
	static const char *lowerdirs[LAYERS_MAX];
	struct overlay overlay = {
		.lowerdirs = lowerdirs,
		.count = b->plan.layers,
		.source = "socle",
		.target = BOOT_SYSROOT,
	};
	int r = mount_layers(b, paths, e);

	for (size_t i = 0; i < b->plan.layers; i++)
		lowerdirs[i] = paths[i];
	if (!r && b->plan.upper.kind != UPPER_NONE) {
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

static int mount_stack(struct boot *b, struct err *e)
{
	/* overlayfs takes no single layer without an upper; it is a root by itself. */
	if (b->plan.layers == 1 && b->plan.upper.kind == UPPER_NONE)
		return volume_mount(&b->open[0], BOOT_SYSROOT, true, e);
	return mount_overlay(b, e);
}

/* A root of nothing but a tmpfs; its /usr is that of the root file system. */
static int mount_volatile(struct boot *b, struct err *e)
{
	int r = volatile_tmpfs(BOOT_SYSROOT, e);

	if (!r)
		r = make_dir(BOOT_SYSROOT "/usr", 0755, e);
	if (r || !b->plan.layers)
		return r;
	r = make_dir(BOOT_LAYERS, 0755, e);
	if (!r)
		r = volume_mount(&b->open[0], BOOT_LAYERS, true, e);
	if (!r)
		r = volatile_bind_usr(BOOT_LAYERS, BOOT_SYSROOT, e);
	return r ? r : detach(BOOT_LAYERS, e);
}

static int mount_root(struct boot *b, struct err *e)
{
	int r = make_dir(BOOT_SYSROOT, 0755, e);

	if (r)
		return r;
	return b->plan.root == PLAN_ROOT_TMPFS ? mount_volatile(b, e) : mount_stack(b, e);
}

static int mount_extensions(struct boot *b, struct err *e)
{
	size_t first = b->open_count - b->plan.extensions;
	char target[sizeof(BOOT_EXTENSIONS) + ERR_VOLUME_SIZE + 1];
	int r = b->plan.extensions ? make_dir(BOOT_EXTENSIONS, 0755, e) : 0;

	for (size_t i = first; !r && i < b->open_count; i++) {
		/* "extension-NAME" is mounted as NAME */
		snprintf(target, sizeof(target), BOOT_EXTENSIONS "/%s",
			 strchr(b->open[i].volume->name, '-') + 1);
		r = make_dir(target, 0755, e);
		if (!r)
			r = volume_mount(&b->open[i], target, false, e);
	}
	return r;
}

int step_mounts(struct boot *b, struct err *e)
{
	int r = b->plan.root == PLAN_ROOT_INITRAMFS ? 0 : mount_root(b, e);

	if (!r && b->plan.has_usr)
		r = volume_mount(&b->open[b->plan.layers], BOOT_SYSROOT "/usr", true, e);
	if (!r && b->plan.state_tmpfs)
		r = volatile_tmpfs(BOOT_SYSROOT "/var", e);
	if (!r && b->plan.root == PLAN_ROOT_TMPFS)
		r = volatile_fill(BOOT_SYSROOT, e);
	if (!r)
		r = mount_extensions(b, e);
	return r ? boot_diagnose(b, r, e) : 0;
}
