// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"
#include "mount/describe/describe.h"
#include "mount/program/limited.h"
#include "mount/program/program.h"

#define OPTIONS_MAX     (3 * STACK_VOLUMES_MAX)
#define TIMEOUT_DEFAULT 10 /* as the library has it */
#define PLAN_FIRST_SIZE 65536

/* What the command line says. */
struct request {
	struct socle_request socle;
	struct socle_volume_option options[OPTIONS_MAX];
	const char *directories[LAYERS_MAX];
	const char *target;
	bool as_json, dry_run;
	char *sidecars[STACK_VOLUMES_MAX];
	size_t sidecar_count;
};

static struct socle_volume_option *add_option(struct request *r, const char *number, size_t length)
{
	struct socle_volume_option *o = &r->options[r->socle.option_count];
	uint64_t value;

	if (r->socle.option_count == OPTIONS_MAX ||
	    parse_u64_part(number, length, STACK_VOLUMES_MAX - 1, &value))
		return NULL;
	o->number = (unsigned int)value;
	r->socle.option_count++;
	return o;
}

/* "N=…": *ret_rest is what stands behind the sign. */
static struct socle_volume_option *add_numbered(struct request *r, const char *text,
						const char **ret_rest)
{
	size_t length = strcspn(text, "=");

	*ret_rest = text + length + 1;
	return text[length] ? add_option(r, text, length) : NULL;
}

static int take_device(struct request *r, const char *value)
{
	const char *ref;
	struct socle_volume_option *o = add_numbered(r, value, &ref);

	if (!o)
		return program_usage(&command_mount, "--device is N=REFERENCE, not", value);
	o->device = ref;
	return PROGRAM_DONE;
}

static int take_sidecar(struct request *r, const char *value)
{
	const char *path;
	struct socle_volume_option *o = add_numbered(r, value, &path);
	size_t size;
	int status;

	if (!o || r->sidecar_count == STACK_VOLUMES_MAX)
		return program_usage(&command_mount, "--sidecar is N=FILE, not", value);
	status = program_read(path, r->as_json, &r->sidecars[r->sidecar_count], &size);
	if (status)
		return status;
	o->sidecar = r->sidecars[r->sidecar_count++];
	if (strlen(o->sidecar) != size)
		return program_fail("DESCRIPTION_INVALID", r->as_json, "%.200s has a NUL in it",
				    path);
	return PROGRAM_DONE;
}

static int take_unverified(struct request *r, const char *value)
{
	struct socle_volume_option *o = add_option(r, value, strlen(value));

	if (!o)
		return program_usage(&command_mount,
				     "--allow-unverified is the number of a volume, not", value);
	o->allow_unverified = 1;
	return PROGRAM_DONE;
}

static int take_directory(struct request *r, const char *value)
{
	if (r->socle.directory_count == LAYERS_MAX)
		return program_usage(&command_mount, "there are too many --directory", NULL);
	r->directories[r->socle.directory_count++] = value;
	return PROGRAM_DONE;
}

static int take_once(const char **to, const char *option, const char *value)
{
	if (*to)
		return program_usage(&command_mount, option, "is specified twice");
	*to = value;
	return PROGRAM_DONE;
}

enum {
	TARGET = 1,
	FROM,
	DEVICE,
	SIDECAR,
	UNVERIFIED,
	DIRECTORY,
	UPPER,
	CORRUPTION,
	TIMEOUT,
	DRY,
	JSON,
	HELP
};

static const struct option long_options[] = {
	{ "target", required_argument, NULL, TARGET },
	{ "from", required_argument, NULL, FROM },
	{ "device", required_argument, NULL, DEVICE },
	{ "sidecar", required_argument, NULL, SIDECAR },
	{ "allow-unverified", required_argument, NULL, UNVERIFIED },
	{ "directory", required_argument, NULL, DIRECTORY },
	{ "upper", required_argument, NULL, UPPER },
	{ "on-corruption", required_argument, NULL, CORRUPTION },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "dry-run", no_argument, NULL, DRY },
	{ "json", no_argument, NULL, JSON },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static int take(struct request *r, int option, const char *value)
{
	switch (option) {
	case TARGET:
		return take_once(&r->target, "--target", value);
	case FROM:
		return take_once(&r->socle.form, "--from", value);
	case DEVICE:
		return take_device(r, value);
	case SIDECAR:
		return take_sidecar(r, value);
	case UNVERIFIED:
		return take_unverified(r, value);
	case DIRECTORY:
		return take_directory(r, value);
	case UPPER:
		return take_once(&r->socle.upper, "--upper", value);
	case CORRUPTION:
		return take_once(&r->socle.on_corruption, "--on-corruption", value);
	case TIMEOUT:
		return program_timeout(&command_mount, value, &r->socle.timeout_ms);
	case DRY:
		r->dry_run = true;
		return PROGRAM_DONE;
	case JSON:
		r->as_json = true;
		return PROGRAM_DONE;
	case HELP:
		return -1;
	default:
		return program_usage(&command_mount, "an option is unknown or lacks its value",
				     NULL);
	}
}

/* A description as an argument is what no file has the name of: base64, or JSON itself. */
static int read_description(struct request *r, const char *from, char **ret)
{
	struct stat st;
	size_t size;
	int status;

	if (strcmp(from, "-") && *from != '/' && *from != '.' && stat(from, &st)) {
		r->socle.description = from;
		r->socle.description_size = strlen(from);
		return PROGRAM_DONE;
	}
	status = program_read(from, r->as_json, ret, &size);
	r->socle.description = *ret;
	r->socle.description_size = size;
	return status;
}

static int plan(const struct request *r)
{
	struct socle_error error;
	size_t size = PLAN_FIRST_SIZE, length;
	char *text = NULL;

	for (;;) {
		text = realloc(text, size);
		if (!text)
			return PROGRAM_SYSTEM;
		if (socle_plan(&r->socle, r->as_json, text, size, &length, &error)) {
			free(text);
			return program_refuse(&error, r->as_json);
		}
		if (length < size)
			break;
		size = length + 1;
	}
	program_say(text, length);
	free(text);
	return PROGRAM_DONE;
}

static void call_mount(const void *context, struct outcome *ret)
{
	const struct request *r = context;

	ret->result = socle_mount(&r->socle, r->target, &ret->error);
}

static int mount_it(const struct request *r)
{
	int disks_ms = r->socle.timeout_ms ? r->socle.timeout_ms : TIMEOUT_DEFAULT * 1000;
	struct record record = { 0 };
	struct outcome outcome;

	limited_call(call_mount, r, disks_ms + LIMITED_REST_MS, NULL, "mounts", &outcome);
	if (outcome.result)
		return program_refuse(&outcome.error, r->as_json);
	if (r->as_json) {
		record_add(&record, "{\"mounted\":");
		record_add_string(&record, r->target);
		record_add(&record, "}\n");
	} else {
		record_add(&record, "socle: mounted %s\n", r->target);
	}
	record_say(&record);
	return PROGRAM_DONE;
}

static int run_request(struct request *r, int argc, char **argv)
{
	char *text = NULL;
	int status;

	if (optind != argc - 1)
		return program_usage(&command_mount, "one description is needed: FILE, - or base64",
				     NULL);
	if (!r->target && !r->dry_run)
		return program_usage(&command_mount, "--target is needed", NULL);
	status = read_description(r, argv[optind], &text);
	if (!status)
		status = r->dry_run ? plan(r) : mount_it(r);
	free(text);
	return status;
}

static int run(int argc, char **argv)
{
	struct request *r = calloc(1, sizeof(*r));
	int option, status = PROGRAM_DONE;

	if (!r)
		return PROGRAM_SYSTEM;
	r->socle.options = r->options;
	r->socle.directories = r->directories;
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		status = take(r, option, optarg);
	if (status < 0)
		status = program_help(&command_mount);
	else if (!status)
		status = run_request(r, argc, argv);
	for (size_t i = 0; i < r->sidecar_count; i++)
		free(r->sidecars[i]);
	free(r);
	return status;
}

const struct command command_mount = {
	.name = "mount",
	.run = run,
	.usage = "--target DIR [OPTION...] FILE|-|BASE64",
	.help = "Find, prove, stack and mount the volumes that a description names.\n"
		"\n"
		"  --target DIR           where; made with its parents\n"
		"  --from FORM            kata-volume, containerd, kata-storage or socle;\n"
		"                         else it is told by its content\n"
		"  --device N=REFERENCE   which disk volume N is: SERIAL=, PCI=, SCSI=, CCW=, ...\n"
		"  --sidecar N=FILE       containerd's .dmverity file of volume N\n"
		"  --allow-unverified N   mount volume N though nothing proves it\n"
		"  --directory DIR        of an image that was pulled in the guest, topmost first\n"
		"  --upper UPPER          none, tmpfs[,size=SIZE], dir:/PATH or\n"
		"                         disk:REFERENCE[,encrypted[,integrity]]\n"
		"  --on-corruption WHAT   panic (the default), restart or eio\n"
		"  --timeout SECONDS      for all disks together, 10\n"
		"  --dry-run              print the plan; no device is touched\n"
		"  --json                 for programs\n",
};
