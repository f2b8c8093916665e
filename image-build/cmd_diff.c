// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image diff: what differs between two images, disks, initramfs or bundles. */
#include <stdio.h>

#include "image-build/base/json.h"
#include "image-build/command.h"
#include "image-build/diff/diff.h"

/* As diff(1) has it: trouble is not a difference. */
enum {
	STATUS_SAME = 0,
	STATUS_DIFFERENT = 1,
	STATUS_TROUBLE = 2,
};

struct options {
	bool json;
};

static const struct option_row options[] = {
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ .name = NULL },
};

static void print_json(const struct differences *d)
{
	printf("%s\n",
	       json_object_to_json_string_ext(d->list, JSON_C_TO_STRING_PRETTY |
							       JSON_C_TO_STRING_SPACED |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
}

static int run(int argc, char **argv)
{
	struct options o = { .json = false };
	struct differences d = { .list = NULL };
	struct err e = { .text = "" };
	struct option_list paths;
	int r, status = option_parse_list(&command_diff, argc, argv, &o, &paths);

	if (status)
		return status;
	if (paths.count != 2) {
		fprintf(stderr,
			"socle-image diff: two are compared; see socle-image diff --help\n");
		return STATUS_USAGE;
	}
	d.list = o.json ? json_object_new_array() : NULL;
	r = diff_paths(paths.at[0], paths.at[1], &d, &e);
	if (o.json)
		print_json(&d);
	json_object_put(d.list);
	if (r) {
		(void)command_failed(&e);
		return STATUS_TROUBLE;
	}
	return d.count ? STATUS_DIFFERENT : STATUS_SAME;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "Say what differs between two images, disks, initramfs or bundles",
	.operands = "<A> <B>",
	.details = "One line a difference: the file and its entry, what differs, A's value | B's.\n"
		   "The exit status is 0 where nothing differs, 1 where something does, 2 where\n"
		   "one of them cannot be read.",
	.options = options,
	.run = run,
};
