// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image: makes and inspects the disks and the initramfs of a guest. */
#include <stdio.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/base/output.h"

#ifndef SOCLE_VERSION
#define SOCLE_VERSION "0.1"
#endif

static void print_usage(FILE *to)
{
	fprintf(to, "usage: socle-image <command> [options] …\n\ncommands:\n");
	for (size_t i = 0; command_at(i); i++)
		fprintf(to, "  %-12s %s\n", command_at(i)->name, command_at(i)->summary);
	fprintf(to,
		"\nsocle-image <command> --help describes one command; socle-image --version\n");
}

static int run_command(int argc, char **argv)
{
	const struct command *c = command_find(argv[1]);

	if (c)
		return c->run(argc - 1, argv + 1);
	fprintf(stderr, "socle-image: unknown command %s; see socle-image --help\n", argv[1]);
	return STATUS_USAGE;
}

/* What was printed has to have arrived: a full disk behind stdout is a failure. */
static int finish(int status)
{
	if (status == OPTION_HELP)
		status = STATUS_OK;
	if (fflush(stdout) || ferror(stdout)) {
		perror("socle-image: standard output");
		return STATUS_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	/* No setlocale(): names are bytes, and libarchive would recode them (see layer.c). */
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return finish(STATUS_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("socle-image %s\n", SOCLE_VERSION);
		return finish(STATUS_OK);
	}
	output_catch_signals();
	return finish(run_command(argc, argv));
}
