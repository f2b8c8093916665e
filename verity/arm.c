// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/arm.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/array.h"
#include "lib/sys.h"
#include "verity/libdm.h"

/* What each policy puts into the table, the words of newer kernels first. */
static const struct {
	enum verity_corruption policy;
	unsigned int count;
	const char *words;
} policies[] = {
	{ VERITY_ON_CORRUPTION_PANIC, 2, "panic_on_corruption panic_on_error" },
	{ VERITY_ON_CORRUPTION_PANIC, 1, "panic_on_corruption" },
	{ VERITY_ON_CORRUPTION_RESTART, 2, "restart_on_corruption restart_on_error" },
	{ VERITY_ON_CORRUPTION_RESTART, 1, "restart_on_corruption" },
	{ VERITY_ON_CORRUPTION_EIO, 0, "" },
};

/* 0, -EINVAL where the kernel does not know a word, or another -errno. */
static int load_table(const struct verity_device *dev, const char *line, uint64_t sectors)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_RELOAD, dev->name);
	int errnum;

	if (!task || !dm_task_set_ro(task) || !dm_task_add_target(task, 0, sectors, "verity", line))
		return -ENOMEM;
	if (dm_task_run(task))
		return 0;
	errnum = dm_task_get_errno(task);
	return errnum ? -errnum : -EIO;
}

/* Swap the tables. Nothing writes to the device, so nothing need be flushed. */
static bool resume(const struct verity_device *dev)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_RESUME, dev->name);

	return task && dm_task_skip_lockfs(task) && dm_task_no_flush(task) && dm_task_run(task);
}

/* The line with the best words that the kernel takes; only an unknown word leads to the next. */
static int load_policy(const struct verity_device *dev, const char *old_line, uint64_t sectors,
		       enum verity_corruption policy)
{
	int r = -EINVAL;

	for (size_t i = 0; r == -EINVAL && i < ARRAY_SIZE(policies); i++) {
		char line[VERITY_TABLE_SIZE];

		if (policies[i].policy != policy)
			continue;
		r = verity_table_set_policy(old_line, policies[i].count, policies[i].words, line,
					    sizeof(line));
		if (r)
			return r;
		if (!strcmp(line, old_line))
			return 0;
		r = load_table(dev, line, sectors);
		if (!r)
			return resume(dev) ? 0 : -EIO;
	}
	return r;
}

/*
 * The same with the key that the line names. libcryptsetup gave it that name,
 * and took the key away again when the device was open.
 */
static int load_signed(const struct verity_device *dev, const char *old_line, uint64_t sectors,
		       enum verity_corruption policy, const struct verity_signature *signature)
{
	char description[VERITY_TABLE_SIZE];
	int r = verity_table_get_option(old_line, "root_hash_sig_key_desc", description,
					sizeof(description));
	int key;

	if (r <= 0)
		return r ? r : -ENOKEY;
	key = sys_add_key(description, signature->bytes, signature->size);
	if (key < 0)
		return -errno;
	r = load_policy(dev, old_line, sectors, policy);
	/* One that stays is gone when the agent is executed. */
	(void)sys_unlink_key(key);
	return r;
}

int verity_arm(const struct verity_device *dev, enum verity_corruption policy,
	       const struct verity_signature *signature, struct err *e)
{
	char old_line[VERITY_TABLE_SIZE];
	uint64_t sectors;
	int r = verity_dm_text(DM_DEVICE_TABLE, dev->name, old_line, &sectors);

	if (r)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, -r,
			       "the table of %s cannot be read back", dev->name);
	r = signature ? load_signed(dev, old_line, sectors, policy, signature) :
			load_policy(dev, old_line, sectors, policy);
	return r ? err_result(e, FAIL_VERITY_OPEN_FAILED, r,
			      "the kernel does not accept the corruption policy for %s",
			      dev->name) :
		   0;
}
