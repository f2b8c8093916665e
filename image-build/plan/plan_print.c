// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/plan_print.h"

#include <string.h>

#include "mount/describe/print_volume.h"

static void print_volume(FILE *to, const struct boot_plan *plan, const struct volume *v)
{
	char text[PRINT_VOLUME_SIZE];
	struct out o = { .text = text, .size = sizeof(text) };

	volume_print(&o, v, plan->signatures);
	fputs(text, to);
}

const char *plan_root_word(enum plan_root root)
{
	static const char *const words[] = { "none", "layers", "tmpfs", "initramfs" };

	return words[root];
}

const char *plan_report_text(const struct plan_failure *failure, char text[PLAN_PATH_SIZE])
{
	if (!failure->vsock_port && !failure->device[0])
		return NULL;
	if (failure->vsock_port)
		snprintf(text, PLAN_PATH_SIZE, "vsock:%u", failure->vsock_port);
	else
		strcpy(text, failure->device);
	return text;
}

static void print_upper(const struct upper *u, FILE *to)
{
	char text[DEVREF_TEXT_SIZE];

	fprintf(to, "upper %s", upper_kind_words[u->kind]);
	if (u->size[0])
		fprintf(to, " size=%s", u->size);
	if (u->kind == UPPER_DISK)
		fprintf(to, " %s%s%s", devref_print(&u->disk, text, sizeof(text)),
			u->encrypted ? " encrypted" : "", u->integrity ? " integrity" : "");
	fputc('\n', to);
}

static void print_root(const struct boot_plan *plan, FILE *to)
{
	fprintf(to, "root %s\n", plan_root_word(plan->root));
	if (plan->root == PLAN_ROOT_LAYERS)
		print_upper(&plan->upper, to);
	if (plan->state_tmpfs)
		fprintf(to, "var tmpfs\n");
}

void plan_print(const struct boot_plan *plan, FILE *to)
{
	char text[PLAN_PATH_SIZE];
	const char *report = plan_report_text(&plan->failure, text);
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		print_volume(to, plan, v);
	print_root(plan, to);
	if (plan->volumes)
		fprintf(to, "volumes at run time\n");
	fprintf(to, "agent %s\n", plan->agent);
	fprintf(to, "timeout %u\n", plan->timeout_s);
	fprintf(to, "on_failure %s\n", plan_on_failure_words[plan->failure.how]);
	fprintf(to, "on_corruption %s\n", verity_corruption_words[plan->on_corruption]);
	fprintf(to, "report %s\n", report ? report : "-");
}
