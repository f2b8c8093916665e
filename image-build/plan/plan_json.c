// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/plan_json.h"

#include "image-build/base/memory.h"
#include "image-build/plan/plan_print.h"
#include "mount/describe/print_volume.h"

static void put_upper(struct out *o, const struct upper *u)
{
	char text[DEVREF_TEXT_SIZE];

	out_text(o, "upper", upper_kind_words[u->kind]);
	if (u->size[0])
		out_text(o, "upper_size", u->size);
	if (u->kind != UPPER_DISK)
		return;
	out_text(o, "upper_device", devref_print(&u->disk, text, sizeof(text)));
	out_bool(o, "upper_encrypted", u->encrypted);
	out_bool(o, "upper_integrity", u->integrity);
}

static void put_plan(struct out *o, const struct boot_plan *plan)
{
	char text[PLAN_PATH_SIZE];
	const char *report = plan_report_text(&plan->failure, text);
	const struct volume *v;

	out_open(o, NULL, '{');
	out_open(o, "volumes", '[');
	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		volume_print_json(o, v, plan->signatures);
	out_close(o, ']');
	out_text(o, "root", plan_root_word(plan->root));
	put_upper(o, &plan->upper);
	out_bool(o, "var_tmpfs", plan->state_tmpfs);
	out_bool(o, "run_time_volumes", plan->volumes);
	out_text(o, "agent", plan->agent);
	out_number(o, "timeout", plan->timeout_s);
	out_text(o, "on_failure", plan_on_failure_words[plan->failure.how]);
	out_text(o, "on_corruption", verity_corruption_words[plan->on_corruption]);
	if (report)
		out_text(o, "report", report);
	out_close(o, '}');
	out_printf(o, "\n");
}

char *plan_json(const struct boot_plan *plan)
{
	struct out o = { .text = NULL };

	put_plan(&o, plan);
	o = (struct out){ .text = memory_zero(1, o.length + 1), .size = o.length + 1 };
	put_plan(&o, plan);
	return o.text;
}
