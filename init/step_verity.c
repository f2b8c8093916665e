// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Each volume's verity device, opened and proved. */
#include "init/tell/log.h"
#include "init/steps.h"
#include "lib/hex.h"
#include "verity/kernel.h"
#include "verity/open.h"

static int check_kernel(const struct boot_plan *plan, struct err *e)
{
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		if (v->proof != VOLUME_RAW)
			return verity_kernel_check(e);
	return 0;
}

static int check_signatures(const struct boot_plan *plan, int sysfs, struct err *e)
{
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		if (verity_signature_asked(&v->signature))
			return verity_kernel_check_signatures(sysfs, e);
	return 0;
}

static void say_open(const struct open_volume *o, const struct device_wish *wish)
{
	const struct verity_params *p = &o->params;
	char ref[DEVREF_TEXT_SIZE], hash[2 * VERITY_DIGEST_MAX + 1] = "";

	hex_encode(p->root_hash, p->root_hash_size, hash);
	log_info("%s is %s (%s), %s%s", o->volume->name, wish->found.name,
		 devref_print(wish->ref, ref, sizeof(ref)),
		 o->volume->proof == VOLUME_RAW                ? "not verified" :
		 verity_signature_asked(&o->volume->signature) ? "verified, signed root hash " :
								 "verified, root hash ",
		 hash);
}

int step_verity(struct boot *b, struct err *e)
{
	const struct volume *v;
	int r = check_kernel(&b->plan, e);

	if (!r)
		r = check_signatures(&b->plan, b->search.sysfs, e);

	for (size_t i = 0; !r && (v = plan_volume(&b->plan, i)); i++) {
		const struct device_wish *wishes = &b->wishes[b->first_wish[i]];

		r = volume_open(v, b->plan.signatures, wishes, b->search.uevents, &b->open[i], e);
		if (r)
			break;
		b->open_count++;
		say_open(&b->open[i], wishes);
		/* systemd and Kata's agent look for devices there. */
		if (v->proof != VOLUME_RAW)
			r = verity_link(&b->open[i].device, e);
	}
	return r;
}
