// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/match.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The part of an address that begins here has this text and nothing more; digits are hexadecimal.
 */
static bool part_is(const char *part, const char *text)
{
	size_t length = strlen(text);

	return !strncasecmp(part, text, length) && part[length] == '/';
}

static bool address_has(const struct blockdev *b, const char *text)
{
	for (const char *part = strchr(b->address, '/'); part; part = strchr(part + 1, '/'))
		if (part_is(part + 1, text))
			return true;
	return false;
}

/*
 * The SS.F of a PCI function's address, DDDD:BB:SS.F with more digits in front
 * where there are more domains; NULL where the part of an address is another.
 */
static const char *pci_slot_of(const char *part)
{
	unsigned int domain, bus, slot, function;
	int at = 0, n = 0;

	if (sscanf(part, "%8x:%2x:%n%2x.%1x%n", &domain, &bus, &at, &slot, &function, &n) != 4)
		return NULL;
	return at >= 8 && n == at + 4 && part[n] == '/' ? part + at : NULL;
}

/* One "SS" or "SS.F" at the start of a reference against an address' SS.F: the bytes of it. */
static size_t match_slot(const char *path, const char *have)
{
	unsigned int slot, function, have_slot, have_function;
	size_t used = devref_pci_slot(path, &slot, &function);

	if (!used || (path[used] && path[used] != '/') ||
	    !devref_pci_slot(have, &have_slot, &have_function))
		return 0;
	return slot == have_slot && function == have_function ? used : 0;
}

/* Every function on the way down must be named, in order and no other. */
static bool pci_path_is(const struct blockdev *b, const char *path)
{
	const char *root = strstr(b->address, "/pci"); /* pciDDDD:BB */
	unsigned int bus, root_bus;

	path += devref_pci_bus(path, &bus);
	if (!root || sscanf(root, "/pci%*x:%2x", &root_bus) != 1 || root_bus != bus)
		return false;
	for (const char *part = strchr(b->address, '/'); part; part = strchr(part + 1, '/')) {
		const char *have = pci_slot_of(part + 1);
		size_t used;

		if (!have)
			continue;
		used = match_slot(path, have);
		if (!used)
			return false;
		path += used;
		path += *path == '/';
	}
	return !*path;
}

/* HOST:0:TARGET:LUN, whichever host it is. */
static bool scsi_address_is(const struct blockdev *b, unsigned int target, unsigned int lun)
{
	for (const char *part = strchr(b->address, '/'); part; part = strchr(part + 1, '/')) {
		unsigned int channel, is_target, is_lun;
		char tail;

		if (sscanf(part + 1, "%*u:%u:%u:%u%c", &channel, &is_target, &is_lun, &tail) == 4 &&
		    tail == '/')
			return !channel && is_target == target && is_lun == lun;
	}
	return false;
}

/* Kinds that name a disk answer for whole disks only; the others for either. */
static bool base_matches(const struct blockdev *b, const struct devref *ref)
{
	switch (ref->kind) {
	case DEVREF_PATH:
		return !strcmp(b->name, ref->value);
	case DEVREF_NUMBER:
		return b->major == ref->major && b->minor == ref->minor;
	case DEVREF_SERIAL:
		return !strcmp(b->serial, ref->value);
	case DEVREF_PARTUUID:
		return !strcasecmp(b->partuuid, ref->value);
	case DEVREF_PARTLABEL:
		return !strcmp(b->partlabel, ref->value);
	case DEVREF_UUID:
		return !strcasecmp(b->uuid, ref->value);
	case DEVREF_LABEL:
		return !strcmp(b->label, ref->value);
	case DEVREF_PCI:
		return !b->partition && (strchr(ref->value, ':') ? address_has(b, ref->value) :
								   pci_path_is(b, ref->value));
	case DEVREF_SCSI:
		return !b->partition && scsi_address_is(b, ref->major, ref->minor);
	case DEVREF_CCW:
		return !b->partition && address_has(b, ref->value);
	case DEVREF_FILE:
	case DEVREF_NONE:
		break;
	}
	return false;
}

static const char *disk_of(const struct blockdev *b)
{
	return b->partition ? b->disk : b->name;
}

/* Is b the partition that a reference means when base is what its first part names? */
static bool is_meant(const struct blockdev *b, const struct blockdev *base,
		     const struct devref *ref)
{
	unsigned int number = ref->partition;

	if (!ref->partition && !ref->partition_offset)
		return b == base;
	if (!number)
		number = base->partition + ref->partition_offset;
	return b->partition == number && !strcmp(b->disk, disk_of(base));
}

size_t devref_match(const struct blockdev_set *set, const struct devref *ref, struct blockdev *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (set->dev[i].empty || !base_matches(&set->dev[i], ref))
			continue;
		for (size_t j = 0; j < set->count; j++)
			if (is_meant(&set->dev[j], &set->dev[i], ref) && !count++)
				*ret = set->dev[j];
	}
	return count;
}
