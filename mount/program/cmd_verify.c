// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "mount/program/limited.h"
#include "mount/program/program.h"

struct verify {
	const char *target;
	bool as_json;
	int timeout_ms;
	uint64_t *counter; /* counts what is read, for who waits */
};

/* What a call of the library is told with. */
struct progress {
	uint64_t *counter;
	unsigned int shown; /* percent */
	bool show;
};

/* To a person only: each time a further percent is done. */
static int take_progress(uint64_t done_bytes, uint64_t all_bytes, void *data)
{
	struct progress *p = data;
	unsigned int percent = (unsigned int)(100.0 * (double)done_bytes / (double)all_bytes);
	struct record r = { 0 };

	__atomic_store_n(p->counter, done_bytes, __ATOMIC_RELAXED);
	if (!p->show || percent == p->shown)
		return 0;
	p->shown = percent;
	record_add(&r, "\r%u%%%s", percent, percent == 100 ? "\n" : "");
	(void)!write(STDERR_FILENO, r.text, r.used);
	r.used = 0;
	record_say(&r);
	return 0;
}

static void call_verify(const void *context, struct outcome *ret)
{
	const struct verify *v = context;
	struct progress p = { .counter = v->counter, .show = isatty(STDERR_FILENO) };

	ret->result = socle_verify(v->target, take_progress, &p, &ret->error);
}

static int verify_it(struct verify *v)
{
	struct record record = { 0 };
	struct outcome outcome;

	v->counter = limited_counter();
	if (!v->counter)
		return program_fail("SYSTEM_CALL_FAILED", v->as_json, "out of memory");
	limited_call(call_verify, v, v->timeout_ms, v->counter, "verify", &outcome);
	if (outcome.result)
		return program_refuse(&outcome.error, v->as_json);
	record_add(&record, v->as_json ? "{\"verified\":true}\n" : "socle: every block matches\n");
	record_say(&record);
	return PROGRAM_DONE;
}

static int run(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "timeout", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct verify v = { .timeout_ms = LIMITED_REST_MS };
	int option, status = PROGRAM_DONE;

	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (option == 'j')
			v.as_json = true;
		else if (option == 't')
			status = program_timeout(&command_verify, optarg, &v.timeout_ms);
		else if (option == 'h')
			return program_help(&command_verify);
		else
			return program_usage(&command_verify,
					     "an option is unknown or lacks its value", NULL);
	if (status)
		return status;
	if (optind != argc - 1)
		return program_usage(&command_verify, "one target is needed", NULL);
	v.target = argv[optind];
	return verify_it(&v);
}

const struct command command_verify = {
	.name = "verify",
	.run = run,
	.usage = "[OPTION...] DIR",
	.help = "Read every block of every verified layer of a target once more from its disk. A\n"
		"block that does not match is told, and does nothing to what is mounted.\n"
		"\n"
		"  --timeout SECONDS      for a disk to leave reads without an answer, 120\n"
		"  --json                 for programs\n",
};
