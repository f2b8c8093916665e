// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/devref.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hex.h"
#include "lib/text.h"

/* Linux keeps 12 bits of a major and 20 of a minor number. */
#define MAJOR_MAX ((1U << 12) - 1)
#define MINOR_MAX ((1U << 20) - 1)

/* Of the first of two numbers; what has more is no number of a device. */
#define NUMBER_DIGITS 7

/* Targets and LUNs as Kata counts them. */
#define SCSI_MAX 16383

static const struct {
	const char *prefix;
	enum devref_kind kind;
} forms[] = {
	{ "/dev/", DEVREF_PATH },         { "SERIAL=", DEVREF_SERIAL },
	{ "PARTUUID=", DEVREF_PARTUUID }, { "PARTLABEL=", DEVREF_PARTLABEL },
	{ "UUID=", DEVREF_UUID },         { "LABEL=", DEVREF_LABEL },
	{ "PCI=", DEVREF_PCI },           { "SCSI=", DEVREF_SCSI },
	{ "CCW=", DEVREF_CCW },           { "FILE=", DEVREF_FILE },
};

#define UDEV_LINKS "/dev/disk/"

/*
 * udev's links, and what they say of a disk; nobody makes them here. The escapes in
 * them are those of a value. Of by-id's only virtio's are the serial number alone.
 */
static const struct {
	const char *prefix;
	enum devref_kind kind;
} udev_links[] = {
	{ UDEV_LINKS "by-partuuid/", DEVREF_PARTUUID },
	{ UDEV_LINKS "by-partlabel/", DEVREF_PARTLABEL },
	{ UDEV_LINKS "by-uuid/", DEVREF_UUID },
	{ UDEV_LINKS "by-label/", DEVREF_LABEL },
	{ UDEV_LINKS "by-id/virtio-", DEVREF_SERIAL },
};

/* One character of a value, \xHH decoded: bytes taken, 0 for a bad escape. */
static size_t take_char(const char *text, char *ret)
{
	char digits[3];
	uint8_t byte;

	if (*text != '\\') {
		*ret = *text;
		return 1;
	}
	if (text[1] != 'x')
		return 0;
	snprintf(digits, sizeof(digits), "%.2s", text + 2);
	if (hex_decode(digits, &byte, 1) != 1 || !byte)
		return 0;
	*ret = (char)byte;
	return 4;
}

static int unescape(const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*text) {
		size_t taken = used + 1 < size ? take_char(text, &out[used]) : 0;

		if (!taken)
			return -EINVAL;
		text += taken;
		used++;
	}
	out[used] = '\0';
	return used ? 0 : -EINVAL;
}

/* Two numbers with a colon between. */
static int parse_pair(const char *text, uint64_t first_max, uint64_t second_max, struct devref *ret)
{
	size_t colon = strcspn(text, ":");
	uint64_t first, second;

	if (!text[colon] || colon > NUMBER_DIGITS ||
	    parse_u64_part(text, colon, first_max, &first) ||
	    parse_u64(text + colon + 1, second_max, &second))
		return -EINVAL;
	ret->major = (unsigned int)first;
	ret->minor = (unsigned int)second;
	return 0;
}

#define PCI_SLOT_MAX     0x1f
#define PCI_FUNCTION_MAX 7

/* Up to max hexadecimal digits: how many there are. */
static size_t take_hex(const char *text, size_t max, unsigned int *ret)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	const char *digit;
	size_t used = 0;

	*ret = 0;
	while (used < max && text[used] && (digit = strchr(hex, text[used]))) {
		*ret = *ret << 4 | ((unsigned int)(digit - hex) & 0xf);
		used++;
	}
	return used;
}

size_t devref_pci_slot(const char *text, unsigned int *ret_slot, unsigned int *ret_function)
{
	unsigned int slot, function = 0;
	size_t used = take_hex(text, 2, &slot);

	if (!used || slot > PCI_SLOT_MAX)
		return 0;
	if (text[used] == '.') {
		if (!take_hex(text + used + 1, 1, &function) || function > PCI_FUNCTION_MAX)
			return 0;
		used += 2;
	}
	*ret_slot = slot;
	*ret_function = function;
	return used;
}

size_t devref_pci_bus(const char *text, unsigned int *ret_bus)
{
	if (take_hex(text, 2, ret_bus) == 2 && *ret_bus > PCI_SLOT_MAX && text[2] == '/')
		return 3;
	*ret_bus = 0;
	return 0;
}

/* DDDD:BB:SS.F, every digit there, as sysfs writes it. */
static bool is_pci_address(const char *text)
{
	unsigned int number, slot, function;
	size_t domain = take_hex(text, 8, &number);

	if (domain < 4 || text[domain] != ':' || take_hex(text + domain + 1, 2, &number) != 2 ||
	    text[domain + 3] != ':')
		return false;
	text += domain + 4;
	return devref_pci_slot(text, &slot, &function) == 4 && !text[4];
}

static bool is_pci_path(const char *text)
{
	unsigned int bus, slot, function;

	text += devref_pci_bus(text, &bus);
	for (;;) {
		size_t used = devref_pci_slot(text, &slot, &function);

		if (!used || !text[used])
			return used != 0;
		if (text[used] != '/')
			return false;
		text += used + 1;
	}
}

void devref_node_name(char *name)
{
	while ((name = strchr(name, '!')))
		*name = '/';
}

/* What only some of the forms take as a value; a path that nothing can have is a mistake. */
static int check_value(struct devref *ref)
{
	if (ref->kind == DEVREF_PATH)
		devref_node_name(ref->value);
	if (ref->kind == DEVREF_PCI && !is_pci_path(ref->value) && !is_pci_address(ref->value))
		return -EINVAL;
	if (ref->kind == DEVREF_FILE &&
	    (!text_is_path(ref->value) || ref->partition || ref->partition_offset))
		return -EINVAL;
	return 0;
}

/* by-id's name of a partition ends with -partN, the disk's serial number before it. */
static int take_link_partition(struct devref *ref)
{
	char *last = strrchr(ref->value, '-');
	const char *digits = last ? text_behind(last, "-part") : NULL;
	uint64_t number;

	if (!digits)
		return 0;
	if (last == ref->value || ref->partition || ref->partition_offset ||
	    parse_u64(digits, DEVREF_PARTITION_MAX, &number) || !number)
		return -EINVAL;
	ref->partition = (unsigned int)number;
	*last = '\0';
	return 0;
}

static int parse_link(const char *text, struct devref *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(udev_links); i++) {
		const char *value = text_behind(text, udev_links[i].prefix);

		if (!value)
			continue;
		ret->kind = udev_links[i].kind;
		if (strchr(value, '/') || unescape(value, ret->value, sizeof(ret->value)))
			return -EINVAL;
		return ret->kind == DEVREF_SERIAL ? take_link_partition(ret) : 0;
	}
	return -EINVAL;
}

static int parse_form(const char *text, struct devref *ret)
{
	if (text_behind(text, UDEV_LINKS))
		return parse_link(text, ret);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *value = text_behind(text, forms[i].prefix);

		if (!value)
			continue;
		ret->kind = forms[i].kind;
		if (ret->kind == DEVREF_SCSI)
			return parse_pair(value, SCSI_MAX, SCSI_MAX, ret);
		if (unescape(value, ret->value, sizeof(ret->value)))
			return -EINVAL;
		return check_value(ret);
	}
	ret->kind = DEVREF_NUMBER;
	return parse_pair(text, MAJOR_MAX, MINOR_MAX, ret);
}

/* Cut a partition suffix off a text; 0 where there is none, too. */
static int take_suffix(char *text, struct devref *ret)
{
	char *last = strrchr(text, '/');
	const char *number = last ? text_behind(last, "/PARTN=") : NULL;
	const char *offset = last ? text_behind(last, "/PARTNROFF=") : NULL;
	uint64_t value;

	if (!number && !offset)
		return 0;
	if (parse_u64(number ? number : offset, DEVREF_PARTITION_MAX, &value) || (number && !value))
		return -EINVAL;
	*(number ? &ret->partition : &ret->partition_offset) = (unsigned int)value;
	*last = '\0';
	return 0;
}

int devref_parse(const char *text, struct devref *ret, struct err *e)
{
	char base[DEVREF_TEXT_SIZE];
	struct devref ref = { 0 };
	int n = snprintf(base, sizeof(base), "%s", text);

	bool wrong = n < 0 || (size_t)n >= sizeof(base) || take_suffix(base, &ref) ||
		     parse_form(base, &ref);

	if (wrong && text_behind(text, UDEV_LINKS))
		return err_set(
			e, FAIL_VALUE_INVALID, EINVAL,
			"\"%.120s\" is a link of udev's, which does not run here: of these, "
			"by-partuuid, by-partlabel, by-uuid, by-label and by-id/virtio-SERIAL "
			"can be named; for others there are SERIAL=, PCI=, SCSI= and CCW=",
			text);
	if (wrong)
		return err_set(
			e, FAIL_VALUE_INVALID, EINVAL,
			"\"%.120s\" is not a device reference (/dev/NAME, MAJOR:MINOR, SERIAL=, "
			"PARTUUID=, PARTLABEL=, UUID=, LABEL=, PCI=, SCSI=, CCW= or "
			"FILE=)",
			text);
	*ret = ref;
	return 0;
}

/* A character that would end or change the value on a command line. */
static int needs_escape(char c)
{
	return c <= 0x20 || c > 0x7e || c == ',' || c == '\\' || c == '"';
}

static void print_value(const char *value, char *buf, size_t size)
{
	for (; *value && size > 5; value++) {
		int n = snprintf(buf, size, needs_escape(*value) ? "\\x%02x" : "%c",
				 (unsigned char)*value);

		buf += n;
		size -= (size_t)n;
	}
}

static void print_form(const struct devref *ref, const char *prefix, char *buf, size_t size)
{
	size_t length = (size_t)snprintf(buf, size, "%s", prefix);

	if (length >= size)
		return;
	if (ref->kind == DEVREF_SCSI)
		snprintf(buf + length, size - length, "%u:%u", ref->major, ref->minor);
	else
		print_value(ref->value, buf + length, size - length);
}

const char *devref_print(const struct devref *ref, char *buf, size_t size)
{
	size_t used;

	snprintf(buf, size, "-");
	if (ref->kind == DEVREF_NUMBER)
		snprintf(buf, size, "%u:%u", ref->major, ref->minor);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (ref->kind == forms[i].kind)
			print_form(ref, forms[i].prefix, buf, size);
	used = strlen(buf);
	if (ref->partition)
		snprintf(buf + used, size - used, "/PARTN=%u", ref->partition);
	else if (ref->partition_offset)
		snprintf(buf + used, size - used, "/PARTNROFF=%u", ref->partition_offset);
	return buf;
}
