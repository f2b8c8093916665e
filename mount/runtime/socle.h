/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_SOCLE_H
#define MOUNT_RUNTIME_SOCLE_H

#include <stdint.h>

/*
 * libsocle.a, for an agent that mounts volumes after the boot: a disk is found,
 * opened with dm-verity, proved and mounted, or nothing stays. It links with
 * libcryptsetup, libdevmapper, libjson-c, libblkid and libuuid.
 *
 * The libraries below are not thread-safe, so one call at a time in a process.
 * The caller needs CAP_SYS_ADMIN, /dev, /sys and /proc. Nothing is written to
 * standard output or standard error, but for what libcryptsetup says of a disk that
 * goes away between being found and being opened. No descriptor stays open.
 */

#define SOCLE_API __attribute__((visibility("default")))

/* The version of the library, "0.1". */
SOCLE_API const char *socle_version(void);

/* Why a call failed. */
struct socle_error {
	char code[32];  /* of the list in socle-init(8), "ROOT_HASH_MISMATCH" */
	char text[768]; /* one printable sentence */
};

/*
 * What a call works in; nothing is allocated. It is too large for the stack of
 * most threads. Its bytes mean nothing before and after a call.
 */
#define SOCLE_MEMORY_SIZE 409600 /* bytes */
struct socle_memory {
	uint64_t space[SOCLE_MEMORY_SIZE / sizeof(uint64_t)];
};

/*
 * Mount one volume read-only, without device nodes and set-user-id programs, on
 * a directory that exists. volume is its description as socle.layer= has it,
 * "DEVICE,root_hash=HEX,data_blocks=N,..."; one that no root hash proves is
 * refused. name is the caller's own for it, up to 31 letters, digits, '-', '_'
 * and '.'; device-mapper has it as "socle-NAME", which must be free. The disk is
 * waited for, timeout_ms milliseconds at the most; one that is there and never
 * answers a read holds the call for as long as it likes. From then on a block that
 * does not match is a panic of the guest, as after a boot. 0 or -errno with *error.
 */
SOCLE_API int socle_volume_mount(struct socle_memory *memory, const char *name, const char *volume,
				 const char *target, int timeout_ms, struct socle_error *error);

/*
 * Unmount it again and close its device. Where it is in use nothing is changed,
 * and the answer is -EBUSY.
 */
SOCLE_API int socle_volume_umount(const char *name, const char *target, struct socle_error *error);

#endif
