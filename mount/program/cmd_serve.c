// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "mount/program/program.h"
#include "mount/serve/serve.h"

enum { TEXT, PULL_UNKNOWN, TIMEOUT, HELP };

/* In getopt's order; where a text goes. */
static const struct option long_options[] = {
	{ "socket", required_argument, NULL, TEXT },
	{ "bundles", required_argument, NULL, TEXT },
	{ "images", required_argument, NULL, TEXT },
	{ "initdata", required_argument, NULL, TEXT },
	{ "forward", required_argument, NULL, TEXT },
	{ "attestation", required_argument, NULL, TEXT },
	{ "on-corruption", required_argument, NULL, TEXT },
	{ "pull-unknown", no_argument, NULL, PULL_UNKNOWN },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static const size_t text_offsets[] = {
	offsetof(struct serve_options, socket),        offsetof(struct serve_options, bundles),
	offsetof(struct serve_options, images),        offsetof(struct serve_options, initdata),
	offsetof(struct serve_options, forward),       offsetof(struct serve_options, attestation),
	offsetof(struct serve_options, on_corruption),
};

static int take_text(struct serve_options *o, int index, const char *value)
{
	const char **to = (const char **)(void *)((char *)o + text_offsets[index]);

	if (*to)
		return program_usage(&command_serve, long_options[index].name,
				     "is specified twice");
	*to = value;
	return PROGRAM_DONE;
}

static int take(struct serve_options *o, int option, int index, const char *value)
{
	switch (option) {
	case TEXT:
		return take_text(o, index, value);
	case PULL_UNKNOWN:
		o->pull_unknown = true;
		return PROGRAM_DONE;
	case TIMEOUT:
		return program_timeout(&command_serve, value, &o->timeout_ms);
	default:
		return program_usage(&command_serve, "an option is unknown or lacks its value",
				     NULL);
	}
}

static int run(int argc, char **argv)
{
	struct serve_options options = { 0 };
	struct socle_error error = { .step = "serve" };
	struct err e = { 0 };
	int option, index = 0, status = PROGRAM_DONE;

	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
		if (option == HELP)
			return program_help(&command_serve);
		status = take(&options, option, index, optarg);
	}
	if (!status && optind != argc)
		status = program_usage(&command_serve, "an argument is unknown:", argv[optind]);
	if (status || !serve(&options, &e))
		return status;
	snprintf(error.code, sizeof(error.code), "%s", fail_name(e.code));
	memcpy(error.text, e.text, sizeof(error.text));
	return program_refuse(&error, false);
}

const struct command command_serve = {
	.name = "serve",
	.run = run,
	.usage = "[OPTION...]",
	.help = "Stand in for the confidential data hub on the socket of Kata's agent: an image\n"
		"that it pulls becomes a verified stack.\n"
		"\n"
		"  --images FILE          what images are made of, JSON\n"
		"  --initdata FILE        the same in [data] \"socle.json\" of an initdata.toml\n"
		"  --forward SOCKET       a real data hub, for all other calls\n"
		"  --pull-unknown         and for images that are not described\n"
		"  --attestation SOCKET   the attestation agent, which measures each pull\n"
		"  --socket SOCKET        " SERVE_SOCKET "\n"
		"  --bundles DIR          where bundles are, " SERVE_BUNDLES "\n"
		"  --on-corruption WHAT   panic (the default), restart or eio\n"
		"  --timeout SECONDS      for the disks of an image, 10\n",
};
