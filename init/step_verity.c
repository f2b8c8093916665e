// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Each layer's verity device, opened and proved. */
#include <errno.h>
#include <string.h>

#include "init/log.h"
#include "init/steps.h"
#include "lib/hex.h"
#include "verity/check.h"
#include "verity/kernel.h"

static int check_kernel(const struct boot_plan *plan, struct err *e)
{
	const char *checked = "";

	for (size_t i = 0; i < plan->layers; i++) {
		const char *hash = plan->layer[i].verity.hash_name;
		int r = strcmp(hash, checked) ? verity_kernel_check(hash, e) : 0;

		if (r)
			return r;
		checked = hash;
	}
	return 0;
}

static void say_open(const struct open_volume *o, const struct device_wish *wish)
{
	const struct verity_params *p = &o->volume->verity;
	char ref[DEVREF_TEXT_SIZE], hash[2 * VERITY_DIGEST_MAX + 1];

	hex_encode(p->root_hash, p->root_hash_size, hash);
	log_info("%s is %s (%s), verified, root hash %s", o->volume->name, wish->found.name,
		 devref_print(wish->ref, ref, sizeof(ref)), hash);
}

int step_verity(struct boot *b, struct err *e)
{
	int r = check_kernel(&b->plan, e);

	for (size_t i = 0; !r && i < b->plan.layers; i++) {
		const struct device_wish *wishes = &b->wishes[b->first_wish[i]];

		r = volume_open(&b->plan.layer[i], wishes, b->search.uevents, &b->open[i], e);
		if (r)
			break;
		b->open_count++;
		say_open(&b->open[i], wishes);
	}
	return r;
}

int boot_diagnose(struct boot *b, int r, struct err *e)
{
	for (size_t i = 0; i < b->open_count; i++) {
		const struct open_volume *o = &b->open[i];

		if (verity_diagnose(&o->verity, &o->volume->verity, b->search.uevents, e)) {
			err_volume(e, o->volume->name);
			return -EBADMSG;
		}
	}
	return r;
}
