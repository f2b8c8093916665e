/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_MACHINE_FAKE_KERNEL_H
#define TESTS_UNIT_MACHINE_FAKE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A kernel in memory, as far as volumes at run time see one: device-mapper, mounts,
 * disks, uevents and keys. It stands in the place of lib/sys.c, mounts_open(),
 * uevent_open() and uevent_next(), device_search_…() and device_node_open() in
 * each test of this folder. Directories are real: a test needs a /run of its own
 * (with_own_run() of tests/unit/unit.h).
 *
 * What it does is what Linux does, and this is what is modelled of it:
 *
 * - A device is open while a file system is on it, another device's table names it, or
 *   a descriptor of its node is open. Removed while open it is -EBUSY, or with
 *   DM_DEFERRED_REMOVE goes when the last of these does.
 * - A file system lives while it is mounted anywhere, is part of an overlay that lives,
 *   or a descriptor of fsopen() or fsmount() leads to it. That a mount of it was detached
 *   counts for nothing.
 * - What is mounted is seen by its path, the last one on top. MNT_DETACH takes away what
 *   is mounted below as well; without it that is -EBUSY.
 * - A mount whose parent spreads what is mounted on it cannot be moved, and everything
 *   spreads here that has not been made private.
 * - A table takes effect when it is resumed, and a bad block that was met is forgotten then.
 * - A process that is killed leaves devices, mounts and directories, but no descriptor.
 *
 * All of it is in memory that a child process shares, so one of these can be killed. Any
 * number of threads may call; nothing here orders them in ThreadSanitizer's eyes.
 */

#define FAKE_DISKS       160
#define FAKE_DEVICES     512 /* of device-mapper */
#define FAKE_FILESYSTEMS 700
#define FAKE_MOUNTS      700
#define FAKE_EVENTS      64
#define FAKE_PATH        256
#define FAKE_PARTS       140 /* file systems below an overlay; devices of an erofs */

#define FAKE_DM_MAJOR   253
#define FAKE_DISK_MAJOR 254

/* Who comes across the bad block of a disk. */
enum fake_met { MET_BY_PROOF, MET_BY_MOUNT, MET_BY_VERIFY };

struct fake_disk {
	char name[32]; /* "vdb": its minor is its place in the list */
	uint64_t size_bytes;
	bool bad;          /* a block does not match */
	bool bad_metadata; /* of the hash tree, else of the data */
	unsigned int bad_block;
	enum fake_met met;
	bool unnoticed; /* the mount that comes across it goes well */
};

struct fake_table {
	bool there, read_only;
	char type[16], line[4096];
	uint64_t sectors;
};

/* Its minor is its place in the list. */
struct fake_device {
	bool there, deferred;
	bool corrupt;        /* status C */
	unsigned int others; /* who else has it open */
	char name[128], uuid[129];
	struct fake_table live, loaded;
};

struct fake_filesystem {
	bool there, read_only;
	char type[16], source[128], upperdir[FAKE_PATH];
	unsigned int devices, device[FAKE_PARTS]; /* minors of device-mapper's that it is on */
	unsigned int parts, part[FAKE_PARTS];     /* the file systems that an overlay is made of */
};

struct fake_mount {
	unsigned int filesystem;
	bool read_only;
	bool spreads; /* what is mounted on it is seen elsewhere, too */
	bool busy;    /* somebody's working directory, say */
	char path[FAKE_PATH];
};

struct fake_event {
	unsigned int minor, type, block;
};

struct fake_kernel {
	unsigned int calls;     /* how many there were */
	char last[200];         /* the last one's words */
	unsigned int fail_call; /* which one fails, from 1; 0: none */
	int fail_errno;
	unsigned int kill_call;   /* in the place of which the process is killed; 0: of none */
	const char *unknown_word; /* that the verity target does not know, or NULL */
	bool require_signatures;  /* dm_verity.require_signatures=1 */
	bool no_device_mapper;
	unsigned int disks, events, mounts, keys;
	struct fake_disk disk[FAKE_DISKS];
	struct fake_event event[FAKE_EVENTS];
	char key[4][128];
	struct fake_mount mount[FAKE_MOUNTS]; /* in the order in which they were made */
	/* What is not there here has no meaning. */
	struct fake_device device[FAKE_DEVICES];
	struct fake_filesystem filesystem[FAKE_FILESYSTEMS];
};

extern struct fake_kernel *fake_kernel;

/* One with nothing but its disks vda, vdb …, of a MiB each; no call fails. */
void fake_kernel_reset(unsigned int disks);

/* What there is now: what nobody uses any more is gone. */
struct fake_left {
	unsigned int devices, filesystems, mounts, keys;
};
struct fake_left fake_kernel_left(void);

/* The topmost mount on a path, or NULL; and a device by its name. */
struct fake_mount *fake_kernel_mount_on(const char *path);
struct fake_device *fake_kernel_device(const char *name);

/* Mount something of nobody's that is known here. */
void fake_kernel_mount(const char *source, const char *path);

/* --- what its files share ----------------------------------------------------------- */

/*
 * Stands at the start of each call: none is in another one's way. Where the block ends,
 * what nobody uses any more goes.
 */
#define in_kernel __attribute__((cleanup(fake_kernel_leave), unused)) int held = fake_kernel_enter()
int fake_kernel_enter(void);
void fake_kernel_leave(int *held);

/* 0, or -1 and errno where it is this call's turn to fail. */
int fake_kernel_call(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* errno, and -1. */
int fake_kernel_refuse(int errnum);

/*
 * A descriptor that has a kind and a number for its name, and the number again: -1 where
 * it is of another kind.
 */
int fake_kernel_fd(const char *kind, unsigned int number);
int fake_kernel_fd_number(int fd, const char *kind);

/* Is such a descriptor open in this process? */
bool fake_kernel_fd_open(const char *kind, unsigned int number);

void fake_kernel_add_disks(unsigned int count);
/* Is a file system mounted, part of one that lives, or behind a descriptor? */
bool fake_kernel_is_used(unsigned int filesystem);
/* Who has a device open. */
unsigned int fake_kernel_openers(unsigned int minor);
/* Deferred removals that have become possible; true where there was one. */
bool fake_kernel_remove_deferred(void);
/* Whoever reads a device so comes across its disk's bad block: true where it has one. */
bool fake_kernel_meet(struct fake_device *d, enum fake_met met);

#endif
