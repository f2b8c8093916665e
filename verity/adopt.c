// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/adopt.h"

#include <errno.h>
#include <stdio.h>

#include "verity/arm.h"
#include "verity/dm.h"
#include "verity/table.h"

/* 1: it exists, 0: it does not, -errno. */
static int read_info(const char *name, struct dm_info *ret)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_INFO, name);

	if (!task || !dm_task_run(task) || !dm_task_get_info(task, ret))
		return -EIO;
	return ret->exists != 0;
}

static int table_matches(const char *name, const struct verity_numbers *numbers,
			 const struct verity_params *p)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_TABLE, name);
	uint64_t sectors, data_sectors = p->data_blocks * (p->data_block_size / 512);
	char data[24], hash[24];
	const char *line;

	if (!task || !dm_task_run(task))
		return 0;
	line = verity_dm_target(task, &sectors);
	snprintf(data, sizeof(data), "%u:%u", numbers->data_major, numbers->data_minor);
	snprintf(hash, sizeof(hash), "%u:%u", numbers->hash_major, numbers->hash_minor);
	return line && sectors == data_sectors && verity_table_matches(line, p, data, hash);
}

int verity_adopt(const char *name, const struct verity_numbers *numbers,
		 const struct verity_params *p, struct verity_device *ret, struct err *e)
{
	struct dm_info info = { 0 };
	int r = read_info(name, &info);

	if (r < 0)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, -r,
			       "device-mapper does not answer for %s", name);
	if (!r)
		return 0;
	if (!info.read_only || info.suspended || !info.live_table ||
	    !table_matches(name, numbers, p))
		return err_set(e, FAIL_VERITY_OPEN_FAILED, EEXIST,
			       "a device %s exists, and its table is not the one asked for", name);
	verity_dm_device(ret, name, &info);
	/* As with our own devices: until the hand-over a bad block is an error that can be told. */
	r = verity_arm(ret, VERITY_ON_CORRUPTION_EIO, NULL, e);
	return r ? r : 1;
}
