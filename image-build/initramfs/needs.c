// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/needs.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

/* What a machine can be described with, and what is assumed of one that is not. */
static const struct {
	enum feature feature;
	unsigned int assumed;               /* on these architectures, enum kernel_arch or'ed */
	unsigned int if_there;              /* on these, where the kernel has it */
	enum { IS_BUS = 1, WANTS_BUS } bus; /* of virtio */
} machine[] = {
	{ FEATURE_VIRTIO_PCI, ARCH_X86_64 | ARCH_AARCH64, ARCH_S390X, IS_BUS },
	{ FEATURE_VIRTIO_MMIO, ARCH_X86_64 | ARCH_AARCH64, 0, IS_BUS },
	{ FEATURE_VIRTIO_CCW, ARCH_S390X, 0, IS_BUS },
	{ FEATURE_VIRTIO_BLK, ARCH_ANY, 0, WANTS_BUS },
	{ FEATURE_VIRTIO_SCSI, ARCH_ANY, 0, WANTS_BUS },
	{ FEATURE_VIRTIO_CONSOLE, ARCH_ANY, 0, WANTS_BUS },
	{ FEATURE_NVME, 0, 0, 0 },
	{ FEATURE_PMEM, 0, 0, 0 },
	{ FEATURE_HYPERV, 0, 0, 0 },
	{ FEATURE_XEN, 0, 0, 0 },
};

/* What a device is called by the driver that it has. */
struct driver {
	const char *prefix;
	enum feature feature;
};

static const struct driver disk_drivers[] = {
	{ "vd", FEATURE_VIRTIO_BLK },
	{ "nvme", FEATURE_NVME },
	{ "pmem", FEATURE_PMEM },
	{ "xvd", FEATURE_XEN },
};

static const struct driver report_drivers[] = {
	{ "/dev/hvc", FEATURE_VIRTIO_CONSOLE },
	{ "/dev/vport", FEATURE_VIRTIO_CONSOLE },
};

#define DRIVERS(drivers) drivers, ARRAY_SIZE(drivers)

static const struct {
	const char *type;
	enum feature feature;
} filesystems[] = {
	{ "erofs", FEATURE_EROFS },
	{ "squashfs", FEATURE_SQUASHFS },
	{ "ext4", FEATURE_EXT4 },
	{ "xfs", FEATURE_XFS },
};

void needs_add(struct needs *n, enum feature feature, enum need need)
{
	if (n->of[feature] < need)
		n->of[feature] = need;
}

bool needs_is_machine(enum feature feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++)
		if (machine[i].feature == feature)
			return true;
	return false;
}

static void assume_machine(struct needs *n, enum kernel_arch arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++)
		if (machine[i].assumed == ARCH_ANY || machine[i].assumed & arch)
			needs_add(n, machine[i].feature, NEED_DEFAULT);
		else if (machine[i].if_there & arch)
			needs_add(n, machine[i].feature, NEED_IF_THERE);
}

/* NULL where the name tells nothing. */
static const struct driver *find_driver(const struct driver *drivers, size_t count,
					const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, drivers[i].prefix, strlen(drivers[i].prefix)))
			return &drivers[i];
	return NULL;
}

/* "virtio-pci, virtio-mmio, ..."; allocated. */
static char *machine_words(void)
{
	char *text = memory_text(feature_infos[machine[0].feature].name);

	for (size_t i = 1; i < ARRAY_SIZE(machine); i++) {
		char *before auto_text = text;

		text = memory_printf("%s, %s", before, feature_infos[machine[i].feature].name);
	}
	return text;
}

static int refuse_word(const char *word, struct err *e)
{
	char *words auto_text = machine_words();

	return refuse(e, "--machine %.40s: not one of %s", word, words);
}

static int take_word(struct needs *n, const char *word, enum kernel_arch arch, struct err *e)
{
	enum feature feature = feature_find(word);

	if (feature == FEATURES || !needs_is_machine(feature))
		return refuse_word(word, e);
	if (arch && !(feature_infos[feature].archs & arch))
		return refuse(e, "--machine %s: not on %s", word, kernel_arch_name(arch));
	needs_add(n, feature, NEED_YES);
	return 0;
}

/* Virtio devices without a bus that brings them would be a guest without disks. */
static int check_bus(const struct needs *n, struct err *e)
{
	const char *device = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		if (n->of[machine[i].feature] != NEED_YES)
			continue;
		if (machine[i].bus == IS_BUS)
			return 0;
		if (machine[i].bus == WANTS_BUS)
			device = feature_infos[machine[i].feature].name;
	}
	return device ? refuse(e,
			       "--machine %s: on which bus, virtio-pci, virtio-mmio or "
			       "virtio-ccw?",
			       device) :
			0;
}

int needs_of_machine(struct needs *n, const struct option_list *words, enum kernel_arch arch,
		     struct err *e)
{
	int r = 0;

	if (!words->count)
		assume_machine(n, arch);
	for (size_t i = 0; !r && i < words->count; i++) {
		char *copy auto_text = memory_text(words->at[i]);
		char *rest = copy, *word;

		while (!r && (word = strsep(&rest, ",")))
			r = take_word(n, word, arch, e);
	}
	return r ? r : check_bus(n, e);
}

void needs_of_layers(struct needs *n)
{
	needs_add(n, FEATURE_VERITY, NEED_YES);
	needs_add(n, FEATURE_EROFS, NEED_YES);
	needs_add(n, FEATURE_OVERLAY, NEED_YES);
}

void needs_of_volumes(struct needs *n)
{
	static const enum feature maybe[] = {
		FEATURE_SQUASHFS,    FEATURE_EXT4,   FEATURE_XFS,
		FEATURE_PARTITIONS,  FEATURE_SHA512, FEATURE_HOTPLUG,
		FEATURE_EROFS_FILES, FEATURE_LOOP,   FEATURE_SCRATCH
	};

	needs_of_layers(n);
	for (size_t i = 0; i < ARRAY_SIZE(maybe); i++)
		needs_add(n, maybe[i], NEED_IF_THERE);
}

/*
 * Layers that do not say their type are erofs, as socle-image makes them. Of any
 * other volume only its bytes tell the type, and these are not here.
 */
static void add_filesystem(struct needs *n, const struct volume *v)
{
	bool ours = !strncmp(v->name, "layer-", strlen("layer-"));
	const char *type = v->fstype[0] || !ours ? v->fstype : "erofs";

	for (size_t i = 0; i < ARRAY_SIZE(filesystems); i++)
		if (!*type)
			needs_add(n, filesystems[i].feature, NEED_IF_THERE);
		else if (!strcmp(type, filesystems[i].type))
			needs_add(n, filesystems[i].feature, NEED_YES);
}

/* A superblock names the hash, but how long it is the root hash says already. */
static void add_verity(struct needs *n, const struct volume *v)
{
	if (v->proof == VOLUME_RAW)
		return;
	needs_add(n, FEATURE_VERITY, NEED_YES);
	if (v->verity.root_hash_size > verity_digest_size("sha256"))
		needs_add(n, FEATURE_SHA512, NEED_YES);
	if (v->verity.fec_roots)
		needs_add(n, FEATURE_FEC, NEED_YES);
	if (verity_signature_asked(&v->signature))
		needs_add(n, FEATURE_SIGNATURE, NEED_YES);
}

static int add_driver(struct needs *n, enum feature feature, const struct devref *ref,
		      bool machine_described, struct err *e)
{
	char text[DEVREF_TEXT_SIZE];

	if (machine_described && n->of[feature] != NEED_YES)
		return refuse(e, "the plan has %s, but the machine has no %s",
			      devref_print(ref, text, sizeof(text)), feature_infos[feature].name);
	needs_add(n, feature, NEED_YES);
	return 0;
}

/* Only SCSI has room for more; who waits for a longer one waits for nothing. */
static int check_serial(const struct needs *n, const struct devref *ref, struct err *e)
{
	if (ref->kind != DEVREF_SERIAL || strlen(ref->value) <= DEVREF_SHORT_SERIAL_MAX ||
	    n->of[FEATURE_VIRTIO_SCSI] == NEED_YES || n->of[FEATURE_HYPERV] == NEED_YES)
		return 0;
	return refuse(e, "SERIAL=%.80s has %zu bytes, and the machine's disks have room for %d",
		      ref->value, strlen(ref->value), DEVREF_SHORT_SERIAL_MAX);
}

static int add_device(struct needs *n, const struct devref *ref, bool machine_described,
		      struct err *e)
{
	const struct driver *driver;

	if (ref->partition || ref->partition_offset || ref->kind == DEVREF_PARTUUID ||
	    ref->kind == DEVREF_PARTLABEL)
		needs_add(n, FEATURE_PARTITIONS, NEED_YES);
	if (ref->kind == DEVREF_CCW)
		return add_driver(n, FEATURE_VIRTIO_CCW, ref, machine_described, e);
	driver = ref->kind == DEVREF_PATH ? find_driver(DRIVERS(disk_drivers), ref->value) : NULL;
	if (driver)
		return add_driver(n, driver->feature, ref, machine_described, e);
	return machine_described ? check_serial(n, ref, e) : 0;
}

static int add_volume(struct needs *n, const struct volume *v, bool machine_described,
		      struct err *e)
{
	int r = add_device(n, &v->data, machine_described, e);

	if (!r)
		r = add_device(n, &v->hash, machine_described, e);
	if (!r)
		r = add_device(n, &v->fec, machine_described, e);
	add_filesystem(n, v);
	add_verity(n, v);
	return r;
}

/* What is written to: its key and its file system are made in the guest. */
static int add_scratch(struct needs *n, const struct upper *u, bool machine_described,
		       struct err *e)
{
	needs_add(n, u->encrypted ? FEATURE_SCRATCH : FEATURE_EXT4, NEED_YES);
	return add_device(n, &u->disk, machine_described, e);
}

/* What a failure's line goes out on. */
static void add_report(struct needs *n, const struct plan_failure *failure)
{
	const struct driver *driver = find_driver(DRIVERS(report_drivers), failure->device);

	if (driver)
		needs_add(n, driver->feature, NEED_YES);
	if (failure->vsock_port)
		needs_add(n, FEATURE_VSOCK, NEED_YES);
}

int needs_of_plan(struct needs *n, const struct boot_plan *plan, bool machine_described,
		  struct err *e)
{
	const struct volume *v;
	int r = 0;

	for (size_t i = 0; !r && (v = plan_volume(plan, i)); i++)
		r = add_volume(n, v, machine_described, e);
	if (plan->root == PLAN_ROOT_LAYERS && (plan->layers > 1 || plan->upper.kind != UPPER_NONE))
		needs_add(n, FEATURE_OVERLAY, NEED_YES);
	if (!r && plan->upper.kind == UPPER_DISK)
		r = add_scratch(n, &plan->upper, machine_described, e);
	if (plan->extensions)
		needs_add(n, FEATURE_EXTENSIONS, NEED_YES);
	add_report(n, &plan->failure);
	return r;
}
