// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/mount/runtime/machine/stacks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "mount/fs/erofs_fits.h"
#include "mount/fs/fsmount.h"
#include "mount/scratch.h"
#include "verity/dm.h"
#include "verity/kernel.h"

/* --- doubles --------------------------------------------------------------------------- */

int erofs_fits(int fd, bool host_sized, struct err *e)
{
	(void)fd;
	(void)host_sized;
	(void)e;
	return 0;
}

int erofs_slots_fit(int fd, const int *device_fds, size_t count, struct err *e)
{
	(void)fd;
	(void)device_fds;
	(void)e;
	return count ? 0 : -EINVAL;
}

int verity_kernel_check_signatures(int sysfs, struct err *e)
{
	(void)sysfs;
	(void)e;
	return 0;
}

size_t scratch_devices(const struct upper *u)
{
	(void)u;
	return 1;
}

int scratch_refuse_shared(const struct blockdev *disk, const struct device_wish *wishes,
			  size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (wishes[i].found.minor == disk->minor)
			return err_set(e, FAIL_SCRATCH_FAILED, EBUSY, "shared");
	return 0;
}

int scratch_open(const struct blockdev *disk, const struct upper *u, const char *name,
		 struct scratch *ret, struct err *e)
{
	char line[64];
	const struct dm_target target = { .sectors = 2048, .type = "crypt", .line = line };
	dev_t number;
	int r;

	(void)u;
	snprintf(line, sizeof(line), "%u:%u aes", disk->major, disk->minor);
	r = dm_open(name, NULL, &target, &number);
	if (r)
		return err_result(e, FAIL_SCRATCH_FAILED, r, "open");
	ret->device = mapped_device(name, number);
	return 0;
}

int scratch_mount(const struct scratch *s, const char *target, struct err *e)
{
	const struct fs_option source = { "source", s->device.path };
	const struct fs_mount m = {
		.type = "ext4",
		.options = &source,
		.option_count = 1,
		.target = target,
		.code = FAIL_SCRATCH_FAILED,
	};

	return fs_mount(&m, e);
}

int scratch_defer(const struct scratch *s, struct err *e)
{
	int r = dm_remove_deferred(s->device.name);

	return r ? err_result(e, FAIL_SCRATCH_FAILED, r, "defer") : 0;
}

void scratch_close(const struct scratch *s)
{
	(void)dm_remove(s->device.name);
}

/* --- stacks ---------------------------------------------------------------------------- */

#define ABOVE_SLOTS                                                                                \
	"{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"data_blocks\":8,"                   \
	"\"root_hash\":\"" HASH                                                                    \
	"\",\"devices\":[" DEVICE("vdb") "," DEVICE("vdc") "]}," DEVICE_EXT4("vdd") "]}"
const struct
	stack_kind one_layer = { "one layer", PROVED("vda"), NULL, 0, 0, 1, false },
		   one_on_tmpfs = { "one layer, tmpfs", PROVED("vda"), "tmpfs", 0, 0, 1, true },
		   two_layers = { "two layers, tmpfs",
				  PROVED("vda") PROVED("vdb"),
				  "tmpfs",
				  0,
				  0,
				  2,
				  true },
		   two_read_only = { "two layers", PROVED("vda") PROVED("vdb"), "none", 0, 0, 2,
				     false },
		   not_proved = { "not proved",
				  UNPROVED("vda") PROVED("vdb"),
				  "tmpfs,size=1m",
				  1,
				  0,
				  2,
				  true },
		   with_devices = { "further devices", ABOVE_SLOTS, NULL, 0, 0, 4, false },
		   on_scratch = { "scratch disk",
				  PROVED("vda"),
				  "disk:/dev/vde,encrypted",
				  0,
				  0,
				  2,
				  true },
		   in_directory = { "upper in a directory",
				    PROVED("vda"),
				    "dir:/run/upper",
				    0,
				    0,
				    1,
				    true },
		   signed_layer = { "a signature", SIGNED("vda"), "none", 0, 0, 1, false },
		   with_parity = { "parity", PARITY("vda"), "none", 0, 0, 1, false },
		   of_directories = {
			   "directories",
			   "{\"volume_type\":\"image_guest_pull\",\"source\":\"dummy-image-"
			   "reference\",\"image_pull\":{\"metadata\":{}}}",
			   "none",
			   0,
			   2,
			   0,
			   false
		   };

const struct stack_kind *const stack_kinds[] = {
	&one_layer,  &one_on_tmpfs, &two_layers,     &two_read_only, &not_proved,  &with_devices,
	&on_scratch, &in_directory, &of_directories, &signed_layer,  &with_parity, NULL,
};

struct socle_error said;

int mount_kind_armed(const struct stack_kind *kind, const char *target, const char *on_corruption)
{
	static const char *const directories[] = { "/run/image/1", "/run/image/0" };
	struct socle_volume_option options[32] = { 0 };
	struct socle_request request = {
		.description = kind->text,
		.description_size = strlen(kind->text),
		.options = options,
		.directories = directories,
		.directory_count = kind->directories,
		.upper = kind->upper,
		.on_corruption = on_corruption,
		.timeout_ms = 50,
	};
	struct socle_error mine = { .code = "" };
	int r;

	for (unsigned int i = 0; i < 32; i++)
		if (kind->allowed & 1U << i)
			options[request.option_count++] = (struct socle_volume_option){
				.number = i,
				.allow_unverified = 1,
			};
	r = socle_mount(&request, target, &mine);
	said = mine;
	return r;
}

int mount_kind(const struct stack_kind *kind, const char *target)
{
	return mount_kind_armed(kind, target, NULL);
}

int umount_target(const char *target)
{
	memset(&said, 0, sizeof(said));
	return socle_umount(target, NULL, &said);
}

void new_machine(void)
{
	fake_kernel_reset(6);
	put_dir(AT_FDCWD, "/run/image/0");
	put_dir(AT_FDCWD, "/run/image/1");
	put_dir(AT_FDCWD, "/run/upper");
}

/* --- what is expected ------------------------------------------------------------------ */

void expect_error(int r, int errnum, const char *code, const char *step, const char *volume,
		  const char *words)
{
	if (r != -errnum || strcmp(said.code, code) || strcmp(said.step, step) ||
	    strcmp(said.volume, volume) || !strstr(said.text, words))
		fail_msg("%d %s %s \"%s\": %s\nexpected %d %s %s \"%s\": %s", r, said.code,
			 said.step, said.volume, said.text, -errnum, code, step, volume, words);
}

static unsigned int entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void expect_left(const char *label, unsigned int devices, unsigned int mounts)
{
	struct fake_left left = fake_kernel_left();

	if (left.devices != devices || left.mounts != mounts || left.keys ||
	    entries("/run/socle") || (!mounts && left.filesystems))
		fail_msg("%s (call %u, %s): %u devices, %u mounts, %u file systems, %u keys, %u "
			 "directories; expected %u devices and %u mounts; %s",
			 label, fake_kernel->calls, fake_kernel->last, left.devices, left.mounts,
			 left.filesystems, left.keys, entries("/run/socle"), devices, mounts,
			 said.text);
}

void expect_nothing(const char *label)
{
	expect_left(label, 0, 0);
}

void expect_mounted(const struct stack_kind *kind)
{
	const struct fake_mount *m = fake_kernel_mount_on(TARGET);

	expect_left(kind->label, kind->devices, 1);
	assert_non_null(m);
	assert_int_equal(!m->read_only, kind->writable);
	for (unsigned int i = 0; i < FAKE_DEVICES; i++) {
		const struct fake_device *d = &fake_kernel->device[i];

		if (d->there && (!d->deferred || d->loaded.there || d->corrupt))
			fail_msg("%s: %s is not as it must be", kind->label, d->name);
		if (d->there && !strcmp(d->live.type, "verity"))
			assert_non_null(
				strstr(d->live.line, " panic_on_corruption panic_on_error"));
	}
}
