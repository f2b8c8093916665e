/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_NEEDS_H
#define IMAGE_BUILD_INITRAMFS_NEEDS_H

#include "image-build/kernel/features.h"
#include "image-build/base/option.h"
#include "init/plan/plan.h"

/* What a guest needs of its kernel, told from its plan and its machine. Pure. */

enum need {
	NEED_NO,
	NEED_IF_THERE, /* nobody knows whether: it goes along where the kernel has it */
	NEED_DEFAULT,  /* of a machine that nobody has described */
	NEED_YES,
};

struct needs {
	enum need of[FEATURES];
};

/* All of these, each at least so much. */
void needs_add(struct needs *n, enum feature feature, enum need need);

/*
 * The machine in words, each a feature's name, several with commas between:
 * virtio-pci, virtio-blk, nvme and the like. Without any word it is one with
 * every kind of virtio disk that the architecture has. Refused: a word for
 * another architecture, and virtio disks without the bus that they are on.
 */
int needs_of_machine(struct needs *n, const struct option_list *words, enum kernel_arch arch,
		     struct err *e);

/* A root of layers that socle-image made: where there is no plan, or a part of it is missing. */
void needs_of_layers(struct needs *n);

/*
 * Volumes that the agent opens when it runs, of which no plan says anything: as
 * layers, and what else may be in one where the kernel has it.
 */
void needs_of_volumes(struct needs *n);

/*
 * What opens and mounts the volumes of a plan. Where a device's name tells its
 * driver, that is needed, too: refused if the machine was described without it.
 */
int needs_of_plan(struct needs *n, const struct boot_plan *plan, bool machine_described,
		  struct err *e);

/* Whether a feature is about the machine, so that its drivers load before the rest. */
bool needs_is_machine(enum feature feature);

#endif
