/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_PLAN_H
#define INIT_PLAN_PLAN_H

#include "mount/fs/layers.h"
#include "mount/upper.h"
#include "mount/volume.h"

/*
 * The boot plan: everything that socle-init will do, as a plain value. Parsing
 * makes it, steps follow it, and tests compare it as text.
 */

#define PLAN_EXTENSIONS_MAX 16
#define PLAN_VOLUMES_MAX    (LAYERS_MAX + PLAN_EXTENSIONS_MAX + 1)
#define PLAN_PATH_SIZE      256        /* the agent's path and the report's, with the NUL */
#define PLAN_TIMEOUT_MAX    3600       /* seconds */
#define PLAN_PORT_MAX       4294967294 /* of vsock; above it VMADDR_PORT_ANY, which is none */
#define PLAN_MANIFEST_MAX   1048576    /* bytes */
/* socle-volume, where an initramfs has it. */
#define PLAN_VOLUME_PROGRAM "/socle-volume"

#define PLAN_SIGNATURES_MAX 327680 /* bytes of all together: 2,580 for each layer */

/* Where / comes from. */
enum plan_root {
	PLAN_ROOT_NONE,      /* not decided: the initramfs may be the root itself */
	PLAN_ROOT_LAYERS,    /* the layers, under the upper */
	PLAN_ROOT_TMPFS,     /* a tmpfs, with /usr of layer 0 (systemd.volatile=yes) */
	PLAN_ROOT_INITRAMFS, /* the agent is in the initramfs */
};

enum plan_on_failure {
	PLAN_ON_FAILURE_POWEROFF, /* the default */
	PLAN_ON_FAILURE_REBOOT,
	PLAN_ON_FAILURE_PANIC,
	PLAN_ON_FAILURE_HALT,
};

/* How a failure is told and left: all of the plan that counts for one. */
struct plan_failure {
	enum plan_on_failure how;
	char device[PLAN_PATH_SIZE]; /* the report's character device, or empty */
	uint32_t vsock_port; /* the report's port on the host, 0: none; one of both at most */
};

/* What our own keys have said, so that no other dialect changes it. */
struct plan_given {
	bool upper, agent, timeout, on_corruption;
};

/* A manifest on a disk; digest_size is 0 where the line names none. */
struct plan_manifest {
	struct devref device;
	uint64_t size_bytes;
	int digest_size;
	uint8_t sha256[32];
};

struct boot_plan {
	enum plan_root root;
	const char *dialect;                /* which one gave the root, NULL: none yet */
	size_t layers;                      /* how many */
	char unread_root[DEVREF_TEXT_SIZE]; /* root= that is no reference; empty: none */
	/* Not UPPER_DIRECTORY. Our own dialect takes a tmpfs where nothing else is asked for. */
	struct upper upper;
	bool state_tmpfs; /* a tmpfs on /var (systemd.volatile=state) */
	bool has_usr;
	struct volume usr; /* mounted on /usr of the root */
	size_t extensions;
	bool volumes;               /* the agent opens more of them with PLAN_VOLUME_PROGRAM */
	char agent[PLAN_PATH_SIZE]; /* absolute, inside of the new root */
	unsigned int timeout_s;     /* for all devices together */
	struct plan_failure failure;
	enum verity_corruption on_corruption;
	struct plan_manifest manifest;
	unsigned int keys_seen; /* our own keys, a bit for each */
	struct plan_given given;
	size_t signatures_used; /* bytes of them */
	/* Half a megabyte, of which only what is counted above means something. */
	struct volume layer[LAYERS_MAX];              /* topmost first */
	struct volume extension[PLAN_EXTENSIONS_MAX]; /* on /run/kata-extensions/NAME */
	uint8_t signatures[PLAN_SIGNATURES_MAX];      /* the pool of the volumes' signatures */
};

/* No root yet, /sbin/init, 10 s, power off, panic, no report. */
void plan_init(struct boot_plan *plan);

/*
 * Fill a plan from the text of a command line, which is taken apart in place.
 * limit is the length at which its kernel cuts a line, of cmdline_limit(); 0 for
 * none.
 * The line is read to its end even after a failure, so that on_failure and
 * report, wherever they stand, count for a failure of the line itself. A line
 * that names no root leaves PLAN_ROOT_NONE; whether that is a failure depends
 * on the initramfs.
 */
int plan_parse(char *cmdline, size_t limit, struct boot_plan *plan, struct err *e);

/*
 * The plan is complete: what is the root? An initramfs that holds the agent is
 * one by itself, whatever an unverified root= says. NO_ROOT where nothing is.
 */
int plan_settle(struct boot_plan *plan, bool agent_in_initramfs, struct err *e);

/* Every volume of the plan, in the order in which they are opened; NULL behind the last. */
const struct volume *plan_volume(const struct boot_plan *plan, size_t index);

/* The words for enum plan_on_failure, with a closing NULL. */
extern const char *const plan_on_failure_words[];

#endif
