// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/arm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "verity/dm.h"
#include "verity/table.h"

/* What each policy adds to the table, the words of newer kernels first. */
static const struct {
	enum verity_corruption policy;
	unsigned int count;
	const char *words;
} policies[] = {
	{ VERITY_ON_CORRUPTION_PANIC, 2, "panic_on_corruption panic_on_error" },
	{ VERITY_ON_CORRUPTION_PANIC, 1, "panic_on_corruption" },
	{ VERITY_ON_CORRUPTION_RESTART, 2, "restart_on_corruption restart_on_error" },
	{ VERITY_ON_CORRUPTION_RESTART, 1, "restart_on_corruption" },
};

static int read_table(const struct verity_device *dev, char line[VERITY_TABLE_SIZE],
		      uint64_t *ret_sectors)
{
	auto_task struct dm_task *task = dm_new_task(DM_DEVICE_TABLE, dev->name);
	const char *params;

	if (!task || !dm_task_run(task))
		return -ENODEV;
	params = dm_verity_target(task, ret_sectors);
	if (!params || strlen(params) >= VERITY_TABLE_SIZE)
		return -EINVAL;
	strcpy(line, params);
	return 0;
}

static bool load_table(const struct verity_device *dev, const char *line, uint64_t sectors)
{
	auto_task struct dm_task *task = dm_new_task(DM_DEVICE_RELOAD, dev->name);

	return task && dm_task_set_ro(task) &&
	       dm_task_add_target(task, 0, sectors, "verity", line) && dm_task_run(task);
}

/* Swap the tables. Nothing writes to the device, so nothing need be flushed. */
static bool resume(const struct verity_device *dev)
{
	auto_task struct dm_task *task = dm_new_task(DM_DEVICE_RESUME, dev->name);

	return task && dm_task_skip_lockfs(task) && dm_task_no_flush(task) && dm_task_run(task);
}

int verity_arm(const struct verity_device *dev, enum verity_corruption policy, struct err *e)
{
	char old_line[VERITY_TABLE_SIZE], line[VERITY_TABLE_SIZE];
	uint64_t sectors;
	int r;

	if (policy == VERITY_ON_CORRUPTION_EIO)
		return 0;
	r = read_table(dev, old_line, &sectors);
	if (r)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, -r, "the table of %s cannot be read back",
			       dev->name);
	/* An adopted device may have come with one. */
	if (verity_table_has_policy(old_line))
		return 0;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (policies[i].policy != policy ||
		    verity_table_add(old_line, policies[i].count, policies[i].words, line,
				     sizeof(line)))
			continue;
		if (load_table(dev, line, sectors) && resume(dev))
			return 0;
	}
	return err_set(e, FAIL_VERITY_OPEN_FAILED, EINVAL,
		       "the kernel does not take the corruption policy for %s", dev->name);
}
