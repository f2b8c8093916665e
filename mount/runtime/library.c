// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/socle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/sys.h"
#include "mount/describe/socle.h"
#include "mount/mount.h"
#include "verity/kernel.h"
#include "verity/open.h"

/* What struct socle_memory is inside. */
struct work {
	struct device_search search;
	struct volume volume;
	struct device_wish wishes[VOLUME_DEVICES_MAX];
	uint8_t signature[VERITY_SIGNATURE_MAX];
	struct open_volume open;
};
_Static_assert(sizeof(struct work) <= sizeof(struct socle_memory), "SOCLE_MEMORY_SIZE");
_Static_assert(sizeof(((struct socle_error *)0)->text) == ERR_TEXT_SIZE, "ERR_TEXT_SIZE");

const char *socle_version(void)
{
	return "0.1";
}

static int answer(int r, const struct err *e, struct socle_error *error)
{
	if (r) {
		snprintf(error->code, sizeof(error->code), "%s", fail_name(e->code));
		memcpy(error->text, e->text, sizeof(error->text));
	}
	return r;
}

static int make_dm_name(const char *name, char dm_name[VERITY_NAME_SIZE], struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t length = strlen(name);

	if (!length || length >= ERR_VOLUME_SIZE || name[strspn(name, allowed)])
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "\"%.40s\" cannot be the name of a volume", name);
	snprintf(dm_name, VERITY_NAME_SIZE, "socle-%s", name);
	return 0;
}

static int describe(struct work *w, const char *name, const char *text, struct err *e)
{
	struct verity_signature_pool pool = { w->signature, sizeof(w->signature), 0 };
	char dm_name[VERITY_NAME_SIZE];
	int r = make_dm_name(name, dm_name, e);

	if (r)
		return r;
	volume_init(&w->volume, name, dm_name);
	r = volume_set_all(&w->volume, text, &pool, e);
	return r ? r : volume_finish(&w->volume, e);
}

static int check_kernel(const struct work *w, struct err *e)
{
	int r = verity_kernel_check(w->volume.verity.hash_name, e);

	if (!r && verity_signature_asked(&w->volume.signature))
		r = verity_kernel_check_signatures(w->search.sysfs, e);
	return r;
}

/* A block that does not match can be told until all is done, and is a panic from then on. */
static int open_and_mount(struct work *w, const char *target, int timeout_ms, struct err *e)
{
	size_t count = volume_wishes(&w->volume, w->wishes, 0);
	int r = check_kernel(w, e);

	if (!r)
		r = device_search_wait(&w->search, w->wishes, count, timeout_ms, e);
	if (!r)
		r = volume_open(&w->volume, w->signature, w->wishes, w->search.uevents, &w->open,
				e);
	if (r)
		return r;
	r = volume_mount(&w->open, target, false, e);
	if (!r) {
		r = volume_arm(&w->open, VERITY_ON_CORRUPTION_PANIC, e);
		if (!r)
			return 0;
		(void)sys_umount(target, 0);
	}
	if (volume_diagnose(&w->open, w->search.uevents, e))
		r = -EBADMSG;
	(void)verity_close(w->volume.dm_name);
	return r;
}

int socle_volume_mount(struct socle_memory *memory, const char *name, const char *volume,
		       const char *target, int timeout_ms, struct socle_error *error)
{
	struct work *w = (void *)memory;
	struct err e = { 0 };
	int r;

	memset(w, 0, sizeof(*w));
	r = describe(w, name, volume, &e);
	if (!r)
		r = device_search_open(&w->search, &e);
	if (r)
		return answer(r, &e, error);
	r = open_and_mount(w, target, timeout_ms, &e);
	/* What the caller executes must not inherit device-mapper's control node. */
	verity_release();
	device_search_close(&w->search);
	return answer(r, &e, error);
}

int socle_volume_umount(const char *name, const char *target, struct socle_error *error)
{
	char dm_name[VERITY_NAME_SIZE];
	struct err e = { 0 };
	int r = make_dm_name(name, dm_name, &e);

	if (!r && sys_umount(target, 0))
		r = err_errno(&e, FAIL_SYSTEM_CALL_FAILED, "unmount %s", target);
	if (!r) {
		r = verity_close(dm_name);
		if (r)
			(void)err_result(&e, FAIL_SYSTEM_CALL_FAILED, r, "close %s", dm_name);
		verity_release();
	}
	return answer(r, &e, error);
}
