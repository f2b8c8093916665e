// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <string.h>
#include <unistd.h>

#include "mount/program/program.h"

/* To a person only: each time a further percent is done. */
static int show_progress(uint64_t done_bytes, uint64_t all_bytes, void *data)
{
	unsigned int *shown = data;
	unsigned int percent = (unsigned int)(100.0 * (double)done_bytes / (double)all_bytes);
	struct record r = { 0 };

	if (percent == *shown)
		return 0;
	*shown = percent;
	record_add(&r, "\r%u%%%s", percent, percent == 100 ? "\n" : "");
	(void)!write(STDERR_FILENO, r.text, r.used);
	r.used = 0;
	record_say(&r);
	return 0;
}

static int run(int argc, char **argv)
{
	bool as_json = argc > 1 && !strcmp(argv[1], "--json");
	unsigned int shown = 0;
	struct record record = { 0 };
	struct socle_error error;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return program_help(&command_verify);
	if (argc != 2 + as_json)
		return program_usage(&command_verify, "one target is needed", NULL);
	if (socle_verify(argv[1 + as_json], isatty(STDERR_FILENO) ? show_progress : NULL, &shown,
			 &error))
		return program_refuse(&error, as_json);
	record_add(&record, as_json ? "{\"verified\":true}\n" : "socle: every block matches\n");
	record_say(&record);
	return PROGRAM_DONE;
}

const struct command command_verify = {
	.name = "verify",
	.run = run,
	.usage = "[--json] DIR",
	.help = "Read every block of every verified layer of a target once more from its disk. A\n"
		"block that does not match is told, and does nothing to what is mounted.\n"
		"\n"
		"  --json                 for programs\n",
};
