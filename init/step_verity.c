// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Each volume's verity device, opened and proved. */
#include "init/tell/log.h"
#include "init/steps.h"
#include "lib/hex.h"
#include "verity/open.h"

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
	struct kernel_checked checked = { 0 };
	const struct volume *v;
	int r = 0;

	for (size_t i = 0; !r && (v = plan_volume(&b->plan, i)); i++)
		r = volume_check_kernel(v, b->search.sysfs, &checked, e);
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
