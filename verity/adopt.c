// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/adopt.h"

#include <errno.h>

#include "verity/arm.h"
#include "verity/dm.h"

static int table_matches(const char *name, const struct verity_parts *parts,
			 const struct verity_params *p)
{
	uint64_t sectors, data_sectors = p->data_blocks * (p->data_block_size / 512);
	char line[VERITY_TABLE_SIZE];

	return !dm_table(name, "verity", line, sizeof(line), &sectors) && sectors == data_sectors &&
	       verity_table_matches(line, p, parts);
}

int verity_adopt(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		 struct mapped_device *ret, struct err *e)
{
	struct dm_state state;
	int r = dm_state(name, &state);

	if (r < 0)
		return err_result(e, FAIL_VERITY_OPEN_FAILED, r,
				  "device-mapper does not answer for %s", name);
	if (!r)
		return 0;
	if (!state.read_only || state.suspended || !state.live || !table_matches(name, parts, p))
		return err_set(e, FAIL_VERITY_OPEN_FAILED, EEXIST,
			       "a device %s exists, and its table is not the one asked for", name);
	*ret = mapped_device(name, state.number);
	/* As with our own devices: until the hand-over a bad block is an error that can be told. */
	r = verity_arm(ret, VERITY_ON_CORRUPTION_EIO, NULL, e);
	return r ? r : 1;
}
