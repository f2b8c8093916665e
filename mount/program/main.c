// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-volume: mounts the volumes that arrive while a guest runs, for an agent in any
 * language. What it does is libsocle's; socle-volume(8) is its manual.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "mount/program/program.h"

static const struct command *const commands[] = {
	&command_mount, &command_umount, &command_list, &command_verify, &command_serve,
};

/* Descriptors 0 to 2 are open, so that no device is taken for one of them. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* On standard output where it was asked for, else on standard error. */
static int help(int fd)
{
	struct record r = { 0 };

	record_add(&r, "usage: socle-volume COMMAND ...\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		record_add(&r, "  %s %s\n", commands[i]->name, commands[i]->usage);
	record_add(&r, "\n  COMMAND --help, --version; see socle-volume(8)\n");
	(void)!write(fd, r.text, r.used);
	free(r.text);
	return fd == STDOUT_FILENO ? PROGRAM_DONE : PROGRAM_USAGE;
}

int main(int argc, char **argv)
{
	open_standard();
	/* A reader that goes away early changes nothing of what is mounted. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return help(STDOUT_FILENO);
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		struct record r = { 0 };

		record_add(&r, "socle-volume %s\n", socle_version());
		record_say(&r);
		return PROGRAM_DONE;
	}
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i]->name))
			return commands[i]->run(argc - 1, argv + 1);
	return help(STDERR_FILENO);
}
