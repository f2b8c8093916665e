// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/adopt.h"

#include <errno.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "verity/arm.h"
#include "verity/libdm.h"

static int table_matches(const char *name, dev_t data, dev_t hash, const struct verity_params *p)
{
	uint64_t sectors, data_sectors = p->data_blocks * (p->data_block_size / 512);
	char line[VERITY_TABLE_SIZE], data_text[24], hash_text[24];

	snprintf(data_text, sizeof(data_text), "%u:%u", major(data), minor(data));
	snprintf(hash_text, sizeof(hash_text), "%u:%u", major(hash), minor(hash));
	return !verity_dm_text(DM_DEVICE_TABLE, name, line, &sectors) && sectors == data_sectors &&
	       verity_table_matches(line, p, data_text, hash_text);
}

int verity_adopt(const char *name, dev_t data, dev_t hash, const struct verity_params *p,
		 struct verity_device *ret, struct err *e)
{
	struct dm_info info = { 0 };
	int r = verity_dm_info(name, &info);

	if (r < 0)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, -r,
			       "device-mapper does not answer for %s", name);
	if (!r)
		return 0;
	if (!info.read_only || info.suspended || !info.live_table ||
	    !table_matches(name, data, hash, p))
		return err_set(e, FAIL_VERITY_OPEN_FAILED, EEXIST,
			       "a device %s exists, and its table is not the one asked for", name);
	verity_dm_device(ret, name, &info);
	/* As with our own devices: until the hand-over a bad block is an error that can be told. */
	r = verity_arm(ret, VERITY_ON_CORRUPTION_EIO, NULL, e);
	return r ? r : 1;
}
