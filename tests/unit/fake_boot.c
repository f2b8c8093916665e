// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_boot.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/io.h"
#include "tests/unit/fake_sys.h"
#include "tests/unit/unit.h"

struct boot boot;

void make_boot(size_t layers, enum upper_kind upper, bool open)
{
	memset(&boot, 0, sizeof(boot));
	boot.search.sysfs = boot.search.dev = boot.search.uevents = -1;
	plan_init(&boot.plan);
	boot.plan.root = PLAN_ROOT_LAYERS;
	boot.plan.layers = layers;
	boot.plan.upper.kind = upper;
	for (size_t i = 0; i < layers; i++) {
		struct volume *v = &boot.plan.layer[i];
		struct device_wish *wish = &boot.wishes[2 * i];
		char name[ERR_VOLUME_SIZE], dm_name[MAPPED_NAME_SIZE];

		snprintf(name, sizeof(name), "layer-%zu", i);
		snprintf(dm_name, sizeof(dm_name), "socle-layer-%zu", i);
		volume_init(v, name, dm_name);
		strcpy(v->fstype, "squashfs");
		v->data = (struct devref){ .kind = DEVREF_SERIAL, .value = "x" };
		v->verity.data_blocks = i + 1;
		boot.first_wish[i] = 2 * i;
		wish->ref = &v->data;
		snprintf(wish->found.name, sizeof(wish->found.name), "vd%zu", i);
		wish->found.size_bytes = 1 << 20;
		wish->found.major = 254;
		wish->found.minor = (unsigned int)i;
		if (!open)
			continue;
		boot.open[i].volume = v;
		snprintf(boot.open[i].device.name, MAPPED_NAME_SIZE, "socle-%s", v->name);
		snprintf(boot.open[i].device.path, sizeof(boot.open[i].device.path), "/dev/dm-%zu",
			 i);
		boot.open_count = i + 1;
	}
}

size_t lines_with(const char *words)
{
	size_t count = 0;

	for (const char *at = fake_sys.log; (at = strstr(at, words)); at++)
		count++;
	return count;
}

static int (*step_to_run)(struct boot *b, struct err *e);

static void run_step(void *shared)
{
	struct step_result *result = shared;

	result->r = step_to_run(&boot, &result->e);
	(void)io_read_text(AT_FDCWD, "/sys/kernel/rcu_expedited", result->expedited,
			   sizeof(result->expedited));
	result->calls = fake_sys.calls;
	memcpy(result->log, fake_sys.log, sizeof(result->log) - 1);
	strcpy(result->agent, boot.plan.agent);
}

const struct step_result *run_step_in_root(int (*step)(struct boot *b, struct err *e),
					   void (*fill)(int dir))
{
	static struct step_result *result;

	if (!result)
		result = shared_memory(sizeof(*result));
	memset(result, 0, sizeof(*result));
	step_to_run = step;
	if (in_own_root(fill, run_step, result))
		skip();
	return result;
}

void fill_nothing(int dir)
{
	(void)dir;
}
