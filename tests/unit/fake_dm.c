// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_dm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_sys.h"
#include "tests/unit/unit.h"

struct dm_task {
	int type;
	int errnum; /* of a task that failed */
	char line[4096];
};

struct fake_dm fake_dm;

struct dm_task *dm_task_create(int type)
{
	struct dm_task *task = calloc(1, sizeof(*task));

	task->type = type;
	fake_dm.tasks++;
	return task;
}

void dm_task_destroy(struct dm_task *task)
{
	fake_dm.tasks--;
	free(task);
}

int dm_task_get_errno(struct dm_task *task)
{
	return task->errnum;
}

void dm_log_with_errno_init(dm_log_with_errno_fn fn)
{
	(void)fn;
}

int dm_task_set_name(struct dm_task *task, const char *name)
{
	(void)task;
	assert_string_equal(name, "socle-layer-0");
	return 1;
}

int dm_task_no_open_count(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_set_ro(struct dm_task *task)
{
	(void)task;
	return !fake_sys_call("ro\n");
}

int dm_task_skip_lockfs(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_no_flush(struct dm_task *task)
{
	(void)task;
	return 1;
}

int dm_task_add_target(struct dm_task *task, uint64_t start, uint64_t size, const char *type,
		       const char *params)
{
	assert_int_equal(start, 0);
	assert_int_equal(size, 4096);
	assert_string_equal(type, "verity");
	snprintf(task->line, sizeof(task->line), "%s", params);
	return 1;
}

int dm_task_run(struct dm_task *task)
{
	switch (task->type) {
	case DM_DEVICE_TABLE:
		snprintf(task->line, sizeof(task->line), "%s", fake_dm.table);
		return !fake_sys_call("table\n");
	case DM_DEVICE_STATUS:
		snprintf(task->line, sizeof(task->line), "%s", fake_dm.status);
		return !fake_sys_call("status\n");
	case DM_DEVICE_RELOAD:
		task->errnum = EIO;
		if (fake_sys_call("reload %s\n", task->line))
			return 0;
		task->errnum = EINVAL;
		return !fake_dm.refused || !strstr(task->line, fake_dm.refused);
	case DM_DEVICE_RESUME:
		return !fake_sys_call("resume\n");
	default:
		return !fake_sys_call("task %d\n", task->type);
	}
}

void *dm_get_next_target(struct dm_task *task, void *next, uint64_t *start, uint64_t *length,
			 char **target_type, char **params)
{
	(void)next;
	*start = 0;
	*length = 4096;
	*target_type = (char *)(uintptr_t)fake_dm.type;
	*params = task->line;
	return NULL;
}

/* Two targets, as the kernel's list has them: one behind the other. */
struct dm_versions *dm_task_get_versions(struct dm_task *task)
{
	static _Alignas(struct dm_versions) char list[2][32];
	struct dm_versions *first = (void *)list[0], *second = (void *)list[1];

	(void)task;
	first->next = sizeof(list[0]);
	strcpy(list[0] + offsetof(struct dm_versions, name), "linear");
	second->next = 0;
	strcpy(list[1] + offsetof(struct dm_versions, name), fake_dm.targets);
	return first;
}

int dm_task_get_info(struct dm_task *task, struct dm_info *ret)
{
	(void)task;
	*ret = fake_dm.info;
	return 1;
}

const struct verity_device *fake_dm_reset(unsigned int fail_call)
{
	static const struct verity_device device = {
		.name = "socle-layer-0",
		.major = 253,
		.minor = 7,
		.path = "/dev/dm-7",
	};

	assert_int_equal(fake_dm.tasks, 0);
	fake_sys_reset(fail_call, EIO);
	memset(&fake_dm, 0, sizeof(fake_dm));
	fake_dm.type = "verity";
	fake_dm.status = "V";
	fake_dm.targets = "verity";
	strcpy(fake_dm.table, FAKE_DM_LINE);
	return &device;
}
