// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * A disk after the UAPI group's Discoverable Partitions Specification, which systemd boots
 * with roothash= alone: the ids of root and root-verity are the halves of the root
 * hash, in the order in which it is written (systemd-veritysetup-generator(8)).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/digest.h"
#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/disk/esp.h"
#include "image-build/disk/gpt_layers.h"
#include "image-build/disk/root_signature.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/le.h"

static const struct machine {
	const char *arch; /* as uname -m has it */
	const char *name; /* as the specification has it */
	const char *root, *verity, *signature;
	const char *program; /* what the firmware starts, or NULL */
	unsigned int number; /* of the machine that it is for */
} machines[] = {
	{ "x86_64", "x86-64", "4f68bce3-e8cd-4db1-96e7-fbcaf984b709",
	  "2c7357ed-ebd2-46d9-aec1-23d437ec2bf5", "41092b05-9fc8-4523-994f-2def0408b176",
	  "BOOTX64 ", 0x8664 },
	{ "aarch64", "arm64", "b921b045-1df0-41c3-af44-4c6f280d3fae",
	  "df3300ce-d69f-4c92-978c-9bfb0f38d820", "6db69de6-29f4-4758-a7a5-962190f00ce3",
	  "BOOTAA64", 0xaa64 },
	{ "s390x", "s390x", "5eead9a9-fe09-4a1e-a1d7-520d00531306",
	  "b325bfbe-c7be-4ab8-8357-139e652d2f6b", "c80187a5-73a3-491a-901a-017c3fa953e9", NULL, 0 },
};

static const struct machine *machine_of(const char *arch, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].arch, arch))
			return &machines[i];
	(void)refuse(e, "there are no partition types for %s here", arch);
	return NULL;
}

static const uint8_t no_uuid[UUID_SIZE];

static int add_esp(struct disk *d, struct gpt *g, const struct machine *m, int uki, struct esp *ret,
		   struct err *e)
{
	struct gpt_entry *entry;
	struct stat st;
	uint64_t size = 0;
	int r;

	if (!m->program)
		return refuse(e, "--uki: %s has no UEFI", m->arch);
	if (fstat(uki, &st))
		return system_failed(e, "%s", d->options->uki);
	*ret = (struct esp){ .sector_size = g->sector_size, .name = m->program };
	ret->program = (struct slice){ .fd = uki, .size = (uint64_t)st.st_size };
	r = esp_check_program(&ret->program, m->number, e);
	if (!r)
		r = esp_size(ret, &size, e);
	if (r)
		return err_prefix(e, r, "%s: ", d->options->uki);
	entry = gpt_add(g, GPT_EFI_SYSTEM, no_uuid, "esp", size, e);
	if (!entry)
		return -E2BIG;
	ret->offset = entry->offset;
	return 0;
}

/* Root and its tree; ids when the root hash is known. */
static int add_root(struct disk *d, struct gpt *g, const struct machine *m, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	struct gpt_entry *root, *verity;
	char name[GPT_NAME_MAX + 1];
	uint64_t end = 0;
	int r = part_place_tree(p, 0, true, &end, e);

	if (r)
		return r;
	snprintf(name, sizeof(name), "root-%s", m->name);
	root = gpt_add(g, m->root, no_uuid, name, part_data_bytes(p), e);
	snprintf(name, sizeof(name), "root-%s-verity", m->name);
	verity = root ? gpt_add(g, m->verity, no_uuid, name, end, e) : NULL;
	if (!verity)
		return -E2BIG;
	root->attributes = verity->attributes = GPT_READ_ONLY;
	r = part_write_data(p, d->out.fd, root->offset, e);
	if (!r)
		r = part_write_tree(p, d->out.fd, verity->offset, true, e);
	if (r)
		return r;
	memcpy(root->uuid, p->verity.root_hash, UUID_SIZE);
	memcpy(verity->uuid, p->verity.root_hash + p->verity.root_hash_size - UUID_SIZE, UUID_SIZE);
	return 0;
}

/* How the guest of socle-init finds both, where it is given more than roothash=. */
static void refer(struct disk_part *p, const struct gpt_entry *root, const struct gpt_entry *verity)
{
	char data[UUID_TEXT_SIZE], hash[UUID_TEXT_SIZE];

	uuid_text(root->uuid, data);
	uuid_text(verity->uuid, hash);
	snprintf(p->device, sizeof(p->device), "PARTUUID=%s,hash_device=PARTUUID=%s", data, hash);
}

static int add_signature(struct disk *d, struct gpt *g, const struct machine *m, struct err *e)
{
	char *text auto_text = NULL;
	char name[GPT_NAME_MAX + 1];
	struct gpt_entry *entry;
	int r = root_signature_text(&d->parts[0].verity, d->options->signature,
				    d->options->certificate, &text, e);

	if (r)
		return r;
	snprintf(name, sizeof(name), "root-%s-verity-sig", m->name);
	entry = gpt_add(g, m->signature, no_uuid, name,
			align_up(strlen(text) + 1, ROOT_SIGNATURE_ALIGNMENT), e);
	if (!entry)
		return -E2BIG;
	entry->attributes = GPT_READ_ONLY;
	disk_uuid(d, "socle root signature", entry->uuid);
	if (write_all_at(d->out.fd, text, strlen(text), entry->offset))
		return system_failed(e, "write the signature");
	return 0;
}

static int write_esp(struct disk *d, struct gpt *g, struct esp *esp, struct err *e)
{
	disk_uuid(d, "socle ESP", g->entries[0].uuid);
	esp->volume_id = (uint32_t)le_get(d->parts[0].verity.root_hash, 4);
	return esp_write(esp, d->out.fd, e);
}

static void report(struct disk *d)
{
	const struct verity_params *v = &d->parts[0].verity;
	char root[2 * VERITY_DIGEST_MAX + 1];
	char *line auto_text = NULL;

	hex_encode(v->root_hash, v->root_hash_size, root);
	line = memory_printf("roothash=%s", root);
	json_add_text(d->report, "kernel_parameter", line);
}

static int write_dps(struct disk *d, struct err *e)
{
	const struct machine *m = machine_of(d->options->arch, e);
	const char *uki = d->options->uki;
	int fd auto_fd = uki ? open(uki, O_RDONLY | O_CLOEXEC) : -1;
	struct gpt g;
	struct esp esp;
	int r = 0;

	if (!m)
		return -EINVAL;
	if (uki && fd < 0)
		return system_failed(e, "open %s", uki);
	gpt_start(d, &g);
	if (uki)
		r = add_esp(d, &g, m, fd, &esp, e);
	if (!r)
		r = add_root(d, &g, m, e);
	if (!r && d->options->signature)
		r = add_signature(d, &g, m, e);
	if (!r && uki)
		r = write_esp(d, &g, &esp, e);
	if (r)
		return r;
	refer(&d->parts[0], &g.entries[uki ? 1 : 0], &g.entries[uki ? 2 : 1]);
	report(d);
	return gpt_finish(d, &g, e);
}

const struct disk_format format_dps = {
	.name = "dps",
	.summary = "GPT after the Discoverable Partitions Specification: root and root-verity",
	.takes = DISK_SALT | DISK_SECTOR_SIZE | DISK_ARCH | DISK_UKI | DISK_SIGNATURE |
		 DISK_CERTIFICATE,
	.parts_max = 1,
	.write = write_dps,
};
