/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_DEVREF_H
#define MOUNT_DEVICE_DEVREF_H

#include <stddef.h>

#include "lib/err.h"

/*
 * A device reference: how the command line names a block device. It is text
 * until mount/device/search.c finds the one device that answers to it.
 *
 *   /dev/vda1        the kernel's own name, with '/' where sysfs has '!'
 *   254:0            major:minor
 *   SERIAL=x         the disk's serial number: virtio-blk, SCSI, NVMe
 *   PARTUUID=x       the partition's id, upper or lower case
 *   PARTLABEL=x      the partition's name (GPT)
 *   UUID=x LABEL=x   of the file system, upper or lower case for UUID=
 *   PCI=02/01.1      slot[.function] of each bridge and then the device, in
 *                    hexadecimal, from root bus 00 down, or PCI=20/01 from another one
 *                    that is named: 20 to ff, more than any slot; or a whole address,
 *                    PCI=0000:00:02.0
 *   SCSI=1:0         target:LUN on channel 0 of whichever host has it
 *   CCW=0.0.0005     bus id of a channel device (s390x)
 *   FILE=/path       no device: a file in the guest that becomes a loop device when
 *                    it is opened (mount/device/loop.h); only at run time
 *
 * A suffix turns any of them into a partition:
 *
 *   …/PARTN=2        partition 2 of that disk, or of that partition's disk
 *   …/PARTNROFF=1    the partition whose number is higher by so much
 *
 * Of udev's links, /dev/disk/by-partuuid/x, by-partlabel, by-uuid, by-label and
 * by-id/virtio-x[-partN] are read as what they say; others are refused.
 *
 * In the value after '=', \xHH stands for any byte but NUL, so that a comma
 * (\x2c), a space (\x20) or a slash (\x2f) can be named.
 */

enum devref_kind {
	DEVREF_NONE, /* no reference */
	DEVREF_PATH,
	DEVREF_NUMBER,
	DEVREF_SERIAL,
	DEVREF_PARTUUID,
	DEVREF_PARTLABEL,
	DEVREF_UUID,
	DEVREF_LABEL,
	DEVREF_PCI,
	DEVREF_SCSI,
	DEVREF_CCW,
	DEVREF_FILE,
};

#define DEVREF_PARTITION_MAX 255

/* Bytes of a virtio-blk disk's serial number, VIRTIO_BLK_ID_BYTES, and of an NVMe disk's. */
#define DEVREF_SHORT_SERIAL_MAX 20

/* A GPT name is 36 UTF-16 units, each up to 3 bytes of UTF-8. */
#define DEVREF_VALUE_SIZE 112

struct devref {
	enum devref_kind kind;
	unsigned int major, minor;     /* DEVREF_NUMBER; DEVREF_SCSI: target and LUN */
	char value[DEVREF_VALUE_SIZE]; /* all others; a path without its /dev/ */
	unsigned int partition;        /* PARTN, 0: not given */
	unsigned int partition_offset; /* PARTNROFF, 0: not given */
};

/* sysfs writes '!' where a name in /dev has '/': make it the latter, in place. */
void devref_node_name(char *name);

/*
 * One SLOT[.FUNCTION] of a PCI= path, or of the end of a whole address: a slot
 * of one or two hexadecimal digits up to 1f, a function from 0 to 7, 0 if not
 * given. Returns the bytes that it takes at the start of text, 0: none.
 */
size_t devref_pci_slot(const char *text, unsigned int *ret_slot, unsigned int *ret_function);

/*
 * The root bus in front of a PCI= path, two digits from 20 to ff and a slash: the bytes
 * of it, or 0 and bus 0. So Kata names what hangs on the buses of NUMA nodes.
 */
size_t devref_pci_bus(const char *text, unsigned int *ret_bus);

/* Pure. -EINVAL (VALUE_INVALID) for anything that is not one of the forms. */
int devref_parse(const char *text, struct devref *ret, struct err *e);

/* The reference as text again, for messages and for the plan. Returns buf. */
const char *devref_print(const struct devref *ref, char *buf, size_t size);

/* Bytes that hold any printed reference. */
#define DEVREF_TEXT_SIZE (4 * DEVREF_VALUE_SIZE + 32)

#endif
