// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/arm.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "lib/sys.h"
#include "verity/dm.h"
#include "verity/table.h"

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

/* The line with the best words that the kernel takes; only an unknown word leads to the next. */
static int load_policy(const struct mapped_device *dev, const char *old_line, uint64_t sectors,
		       enum verity_corruption policy)
{
	int r = -EINVAL;

	for (size_t i = 0; r == -EINVAL && i < ARRAY_SIZE(policies); i++) {
		char line[VERITY_TABLE_SIZE];
		const struct dm_target target = {
			.sectors = sectors,
			.type = "verity",
			.line = line,
			.read_only = true,
		};

		if (policies[i].policy != policy)
			continue;
		r = verity_table_set_policy(old_line, policies[i].count, policies[i].words, line,
					    sizeof(line));
		if (r)
			return r;
		if (!strcmp(line, old_line))
			return 0;
		r = dm_load(dev->name, &target);
		if (!r)
			return 1;
	}
	return r;
}

/* The same with the key that the line names, which went away when the device was open. */
static int load_signed(const struct mapped_device *dev, const char *old_line, uint64_t sectors,
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

int verity_arm_load(const struct mapped_device *dev, enum verity_corruption policy,
		    const struct verity_signature *signature, struct err *e)
{
	char old_line[VERITY_TABLE_SIZE];
	uint64_t sectors;
	int r = dm_table(dev->name, "verity", old_line, sizeof(old_line), &sectors);

	if (r)
		return err_result(e, FAIL_VERITY_OPEN_FAILED, r,
				  "the table of %s cannot be read back", dev->name);
	r = signature ? load_signed(dev, old_line, sectors, policy, signature) :
			load_policy(dev, old_line, sectors, policy);
	return r < 0 ? err_result(e, FAIL_VERITY_OPEN_FAILED, r,
				  "the kernel does not accept the corruption policy for %s",
				  dev->name) :
		       r;
}

int verity_arm_swap(const struct mapped_device *dev)
{
	return dm_resume(dev->name);
}

int verity_arm_failed(const struct mapped_device *dev, int r, struct err *e)
{
	return err_result(e, FAIL_VERITY_OPEN_FAILED, r,
			  "the corruption policy of %s does not come into force", dev->name);
}

int verity_arm(const struct mapped_device *dev, enum verity_corruption policy,
	       const struct verity_signature *signature, struct err *e)
{
	int r = verity_arm_load(dev, policy, signature, e);

	if (r <= 0)
		return r;
	r = verity_arm_swap(dev);
	return r ? verity_arm_failed(dev, r, e) : 0;
}
