// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/libdm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 5, 6))) static void log_nothing(int level, const char *file, int line,
							      int errnum, const char *fmt, ...)
{
	(void)level;
	(void)file;
	(void)line;
	(void)errnum;
	(void)fmt;
}

struct dm_task *verity_dm_task(int type, const char *name)
{
	auto_task struct dm_task *task = NULL;
	struct dm_task *ret;

	/* Each time: libcryptsetup puts its own function in, and the default back. */
	dm_log_with_errno_init(log_nothing);
	task = dm_task_create(type);
	if (!task || !dm_task_no_open_count(task) || (name && !dm_task_set_name(task, name)))
		return NULL;
	ret = task;
	task = NULL;
	return ret;
}

int verity_dm_info(const char *name, struct dm_info *ret)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_INFO, name);

	if (!task || !dm_task_run(task) || !dm_task_get_info(task, ret))
		return -EIO;
	return ret->exists != 0;
}

int verity_dm_text(int type, const char *name, char text[VERITY_TABLE_SIZE], uint64_t *ret_sectors)
{
	auto_task struct dm_task *task = verity_dm_task(type, name);
	char *target = NULL, *params = NULL;
	uint64_t start = 0;

	if (!task || !dm_task_run(task))
		return -ENODEV;
	if (dm_get_next_target(task, NULL, &start, ret_sectors, &target, &params) || !target ||
	    strcmp(target, "verity") || !params || strlen(params) >= VERITY_TABLE_SIZE)
		return -EINVAL;
	strcpy(text, params);
	return 0;
}

void verity_dm_device(struct verity_device *dev, const char *name, const struct dm_info *info)
{
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	dev->major = (unsigned int)info->major;
	dev->minor = (unsigned int)info->minor;
	snprintf(dev->path, sizeof(dev->path), "/dev/dm-%u", dev->minor);
}
