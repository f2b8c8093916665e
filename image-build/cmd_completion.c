// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-image completion: a script that completes its commands, options and their values
 * in bash or zsh.  It is made of the tables that --help prints, so it knows no others.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/base/refuse.h"

/* The words among "none|gzip|HEX": those that stand for themselves. */
static void print_choices(const char *argument)
{
	const char *space = "";

	while (*argument) {
		size_t size = strcspn(argument, "|");

		if (islower((unsigned char)*argument)) {
			printf("%s%.*s", space, (int)size, argument);
			space = " ";
		}
		argument += size + (argument[size] == '|');
	}
}

static bool has_choices(const char *argument)
{
	return strchr(argument, '|');
}

/* --- bash ------------------------------------------------------------------- */

/* What compgen(1) is asked for behind an option; nothing where only its user knows. */
static void print_bash_value(const struct option_row *o)
{
	if (has_choices(o->argument)) {
		printf("kind='' words='");
		print_choices(o->argument);
		printf("'");
	} else if (!strcmp(o->argument, "DIR")) {
		printf("kind=-d");
	} else if (!strcmp(o->argument, "FILE")) {
		printf("kind=-f");
	} else {
		printf("kind=''");
	}
}

static void print_bash_command(const struct command *c)
{
	const struct option_row *o;

	printf("\t%s)\n\t\toptions='", c->name);
	for (size_t i = 0; (o = option_row_at(c, i)); i++)
		printf("%s ", o->name);
	printf("--help'\n\t\tcase $previous in\n");
	for (size_t i = 0; (o = option_row_at(c, i)); i++) {
		if (!option_wants_argument(o))
			continue;
		printf("\t\t%s) ", o->name);
		print_bash_value(o);
		printf(" ;;\n");
	}
	printf("\t\tesac ;;\n");
}

static void print_bash(void)
{
	printf("# bash completion for socle-image, as socle-image completion bash prints it\n"
	       "_socle_image()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\tlocal options='--help --version' words='' kind=-f\n\n"
	       "\tif ((COMP_CWORD == 1)); then\n\t\tkind='' words='");
	for (size_t i = 0; command_at(i); i++)
		printf("%s%s", i ? " " : "", command_at(i)->name);
	printf("'\n\telse\n\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; command_at(i); i++)
		print_bash_command(command_at(i));
	printf("\tesac\n\tfi\n"
	       "\t[[ $word != -* ]] || kind='' words=$options\n"
	       "\tmapfile -t COMPREPLY < <(compgen ${kind:+\"$kind\"} -W \"$words\" -- \"$word\")\n"
	       "}\n"
	       "complete -o filenames -F _socle_image socle-image\n");
}

/* --- zsh -------------------------------------------------------------------- */

/* Inside of '…' and of […] or a message of _arguments. */
static void print_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void print_zsh_value(const struct option_row *o)
{
	printf(":");
	print_quoted(o->argument);
	printf(":");
	if (has_choices(o->argument)) {
		printf("(");
		print_choices(o->argument);
		printf(")");
	} else if (!strcmp(o->argument, "DIR")) {
		printf("_files -/");
	} else if (!strcmp(o->argument, "FILE")) {
		printf("_files");
	}
}

static void print_zsh_command(const struct command *c)
{
	const struct option_row *o;

	printf("\t%s)\n\t\t_arguments \\\n", c->name);
	for (size_t i = 0; (o = option_row_at(c, i)); i++) {
		printf("\t\t\t'%s%s[", o->repeatable ? "*" : "", o->name);
		print_quoted(o->help);
		printf("]");
		if (option_wants_argument(o))
			print_zsh_value(o);
		printf("' \\\n");
	}
	printf("\t\t\t'--help[print this and exit]' \\\n\t\t\t'*:");
	print_quoted(c->operands);
	printf(":_files' ;;\n");
}

static void print_zsh(void)
{
	printf("#compdef socle-image\n"
	       "# zsh completion for socle-image, as socle-image completion zsh prints it\n"
	       "_socle_image()\n{\n"
	       "\tlocal -a commands\n\n\tcommands=(\n");
	for (size_t i = 0; command_at(i); i++) {
		printf("\t\t'%s:", command_at(i)->name);
		print_quoted(command_at(i)->summary);
		printf("'\n");
	}
	printf("\t)\n"
	       "\tif ((CURRENT == 2)); then\n"
	       "\t\t_describe command commands\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tshift words\n"
	       "\t((CURRENT--))\n"
	       "\tcase $words[1] in\n");
	for (size_t i = 0; command_at(i); i++)
		print_zsh_command(command_at(i));
	printf("\tesac\n"
	       "}\n"
	       "_socle_image \"$@\"\n");
}

static int run(int argc, char **argv)
{
	struct err e = { .text = "" };
	const char *shell = NULL;
	int status = option_parse(&command_completion, argc, argv, NULL, &shell);

	if (status)
		return status;
	if (!strcmp(shell, "bash")) {
		print_bash();
	} else if (!strcmp(shell, "zsh")) {
		print_zsh();
	} else {
		(void)refuse(&e, "\"%.40s\" is not bash or zsh", shell);
		return command_failed(&e);
	}
	return STATUS_OK;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "Print a script that completes this program's words in a shell",
	.operands = "<bash or zsh>",
	.details = "make install puts both where the shells find them.",
	.run = run,
};
