/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_MACHINE_STACKS_H
#define TESTS_UNIT_MACHINE_STACKS_H

#include "mount/runtime/socle.h"
#include "tests/unit/mount/runtime/machine/fake_kernel.h"
#include "tests/unit/unit.h"

/*
 * Requests of every kind that libsocle mounts, on the fake kernel. A scratch disk is
 * here a device "crypt" with ext4 on it; what an erofs says of its devices is right.
 *
 * Who includes this includes mount/runtime/library.c as well, once in a program: a test
 * that names its functions gets tests/unit/fake_socle.c in its place else.
 */

#define TARGET "/run/bundle/rootfs"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A line of our own form: eight blocks of a disk, that a tree behind them proves. */
#define PROVED(disk) "/dev/" disk ",fstype=ext4,data_blocks=8,root_hash=" HASH "\n"
#define SIGNED(disk)                                                                               \
	"/dev/" disk ",fstype=ext4,data_blocks=8,signature=base64:MAA=,root_hash=" HASH "\n"
#define PARITY(disk)                                                                               \
	"/dev/" disk ",fstype=ext4,data_blocks=8,fec_device=/dev/vdf,fec_roots=2,root_hash=" HASH  \
	"\n"
#define UNPROVED(disk) "/dev/" disk ",fstype=ext4\n"

/* The same in JSON. */
#define DEVICE(disk) "{\"device\":\"/dev/" disk "\",\"data_blocks\":8,\"root_hash\":\"" HASH "\"}"
#define DEVICE_EXT4(disk)                                                                          \
	"{\"device\":\"/dev/" disk "\",\"fstype\":\"ext4\",\"data_blocks\":8,"                     \
	"\"root_hash\":\"" HASH "\"}"

struct stack_kind {
	const char *label, *text, *upper;
	unsigned int allowed;     /* of its first 32 volumes, a bit each */
	unsigned int directories; /* of those that make_directories() makes */
	unsigned int devices;     /* of device-mapper's, once it is mounted */
	bool writable;
};

extern const struct stack_kind one_layer, one_on_tmpfs, two_layers, two_read_only, not_proved,
	with_devices, on_scratch, in_directory, of_directories, signed_layer, with_parity;

/* All of these, and a closing NULL. */
extern const struct stack_kind *const stack_kinds[];

/* What the call before said, emptied by each. */
extern struct socle_error said;

/* Mount one, with all that its row says, on a target; 0 or -errno. */
int mount_kind(const struct stack_kind *kind, const char *target);
/* The same with what follows a bad block. */
int mount_kind_armed(const struct stack_kind *kind, const char *target, const char *on_corruption);
int umount_target(const char *target);

/* A fake kernel with disks, and the directories of of_directories and in_directory. */
void new_machine(void);

/* The last call failed so. */
void expect_error(int r, int errnum, const char *code, const char *step, const char *volume,
		  const char *words);

/* Just this is mounted on TARGET, and nothing else is there; and nothing is there at all. */
void expect_mounted(const struct stack_kind *kind);
void expect_nothing(const char *label);

#endif
