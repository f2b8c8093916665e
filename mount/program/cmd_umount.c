// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <string.h>

#include "mount/program/limited.h"
#include "mount/program/program.h"

static void call_umount(const void *context, struct outcome *ret)
{
	ret->result = socle_umount(context, &ret->deferred, &ret->error);
}

static int run(int argc, char **argv)
{
	bool as_json = argc > 1 && !strcmp(argv[1], "--json");
	struct record record = { 0 };
	struct outcome outcome;
	unsigned int deferred;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return program_help(&command_umount);
	if (argc != 2 + as_json)
		return program_usage(&command_umount, "one target is needed", NULL);
	limited_call(call_umount, argv[1 + as_json], LIMITED_REST_MS, NULL, "umount", &outcome);
	if (outcome.result)
		return program_refuse(&outcome.error, as_json);
	deferred = outcome.deferred;
	if (as_json)
		record_add(&record, "{\"deferred\":%u}\n", deferred);
	else if (deferred)
		record_add(&record,
			   "socle: unmounted; %u device%s in use and will be removed when closed\n",
			   deferred, deferred == 1 ? " is" : "s are");
	else
		record_add(&record, "socle: unmounted\n");
	record_say(&record);
	return PROGRAM_DONE;
}

const struct command command_umount = {
	.name = "umount",
	.run = run,
	.usage = "[--json] DIR",
	.help = "Unmount a target and remove all that belonged to it, also what an\n"
		"interrupted mount has left. Where nothing is mounted nothing is done, and that is "
		"a success.\n"
		"\n"
		"  --json                 for programs\n",
};
