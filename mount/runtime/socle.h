/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_SOCLE_H
#define MOUNT_RUNTIME_SOCLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * libsocle.a, for an agent whose images arrive as disks while it runs: the disks
 * that a description names are found or waited for, opened with dm-verity, proved,
 * stacked and mounted, or nothing stays. socle-volume(8) does the same from a
 * command line, and says what the forms of a description are.
 *
 * Every function may be called from several threads at once; there is no state but
 * the kernel's. Nothing is printed, and no descriptor stays open. What a call
 * needs is allocated in it and freed at its end. The caller needs CAP_SYS_ADMIN,
 * /dev, /sys and /proc, and a writable /run.
 *
 * A disk that leaves a read without an answer holds the call for as long as it does, for
 * the kernel waits; who needs an end calls in a process that may be killed, at any moment,
 * as socle-volume(8) does.
 *
 * Functions return 0 or -errno, and say why in *error, which may be NULL.
 */

#define SOCLE_VERSION "0.1"
#define SOCLE_ABI     1 /* goes up when a struct or a function here changes */

#define SOCLE_API __attribute__((visibility("default")))

/* What the library was built as; SOCLE_VERSION and SOCLE_ABI are the caller's. */
SOCLE_API const char *socle_version(void);
SOCLE_API unsigned int socle_abi(void);

/* Why a call failed; untouched where it did not. Texts are printable. */
struct socle_error {
	char code[32];   /* of the list in socle-init(8), "ROOT_HASH_MISMATCH" */
	char step[16];   /* describe, devices, verity, mounts, scratch, umount, list or verify */
	char volume[32]; /* which one, "volume-0", or empty */
	char text[768];  /* one sentence */
};

/* What the caller says of one volume, beside the description. */
struct socle_volume_option {
	unsigned int number;  /* which: the N of volume-N, as socle_plan() prints it */
	const char *device;   /* which disk it is, a reference as in socle-init(8); or NULL */
	const char *sidecar;  /* the text of containerd's .dmverity file; or NULL */
	int allow_unverified; /* not 0: mount it though nothing proves it */
};

struct socle_request {
	const char *form; /* kata-volume, containerd, kata-storage, socle; NULL: by content */
	const char *description; /* JSON, base64 of it, or lines, as the form has it */
	size_t description_size; /* bytes */
	const struct socle_volume_option *options; /* option_count of them */
	size_t option_count;
	const char *const *directories; /* of an image pulled in the guest, topmost first */
	size_t directory_count;
	const char *upper;         /* none, tmpfs[,size=SIZE], dir:/PATH or
				    * disk:REF[,encrypted[,integrity]];	 NULL: as the description says */
	const char *on_corruption; /* panic, restart or eio; NULL: panic */
	int timeout_ms;            /* for all disks together; 0: 10 seconds */
};

/*
 * Mount what a request describes on target, an absolute path that is made where it
 * is not there. The same request again for a target on which it is mounted already
 * changes nothing and is no failure: every parameter is equal, on the same disks, files
 * and directories, by whatever names. Any other is TARGET_IN_USE, and the text says what
 * differs as far as that is known. A directory that was made stays. A block that does
 * not match is told as an error until the call returns, and does what on_corruption
 * says from then on. Devices are named after the target, so the same disk may carry
 * several mounts. A plain umount(2) of the target by anybody frees everything.
 */
SOCLE_API int socle_mount(const struct socle_request *request, const char *target,
			  struct socle_error *error);

/*
 * Undo that, also what is left of a mount that was interrupted. A target that has
 * nothing is no failure. -EBUSY where the target is in use; *ret_deferred (may be
 * NULL) is how many devices go away later, because somebody still has them open.
 */
SOCLE_API int socle_umount(const char *target, unsigned int *ret_deferred,
			   struct socle_error *error);

/* A device of a mount: a layer's, a further one of a layer, or of an encrypted scratch disk. */
struct socle_layer_info {
	char kind[12];       /* verified, unverified, scratch (of the upper's disk), or leftover */
	char device[40];     /* "/dev/dm-3" */
	char name[64];       /* device-mapper's */
	char data[24];       /* a layer's disk, "254:16"; else empty */
	char root_hash[129]; /* hexadecimal digits; empty: not verified */
	char status; /* V: every block read so far matched; C: one did not; 0: not verified */
	uint64_t size_bytes; /* of its data */
};

struct socle_mount_info {
	const char *target; /* where it is now; NULL: mounted nowhere that can be seen here */
	const char *id;     /* what its devices are called after */
	int writable;
	const struct socle_layer_info *layers; /* topmost first, layer_count of them */
	size_t layer_count;
};

/* Call each for every mount; what is not 0 ends the list and is returned. */
SOCLE_API int socle_list(int (*each)(const struct socle_mount_info *mount, void *data), void *data,
			 struct socle_error *error);

/*
 * Read every block of every verified layer of a target once more from its disk,
 * through verity devices of its own, so that a bad one is told and ends nothing.
 * A target of which nothing is proved is VALUE_INVALID, -ENOENT.
 * progress (may be NULL) is called now and then; not 0 from it stops with
 * -ECANCELED.
 */
SOCLE_API int socle_verify(const char *target,
			   int (*progress)(uint64_t done_bytes, uint64_t all_bytes, void *data),
			   void *data, struct socle_error *error);

/*
 * What a request would do, as text or as JSON, without touching a device. At most
 * size bytes with a closing NUL; the whole text's length is in *ret_length (may
 * be NULL).
 */
SOCLE_API int socle_plan(const struct socle_request *request, int as_json, char *text, size_t size,
			 size_t *ret_length, struct socle_error *error);

#endif
