// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image inspect: what a file is, and the verity parameters that it carries. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/refuse.h"
#include "image-build/command.h"
#include "image-build/inspect/inspect.h"
#include "image-build/inspect/list_files.h"
#include "lib/cleanup.h"
#include "lib/text.h"
#include "mount/describe/socle.h"

struct options {
	bool json, files;
	struct inspect_options inspect;
	struct volume given; /* of --verify=LAYER */
};

/* "key: value" lines; an object's and an array's members are set in. */
static void print_value(const char *key, struct json_object *value, int depth)
{
	printf("%*s%s:", depth * 2, "", key);
	if (json_object_is_type(value, json_type_object)) {
		printf("\n");
		json_object_object_foreach(value, inner, v) print_value(inner, v, depth + 1);
	} else if (json_object_is_type(value, json_type_array)) {
		printf("\n");
		for (size_t i = 0; i < json_object_array_length(value); i++)
			print_value("-", json_object_array_get_idx(value, i), depth + 1);
	} else {
		printf(" %s\n", json_object_get_string(value));
	}
}

static void print_report(struct json_object *report, bool json)
{
	if (json) {
		printf("%s\n",
		       json_object_to_json_string_ext(report,
						      JSON_C_TO_STRING_PRETTY |
							      JSON_C_TO_STRING_SPACED |
							      JSON_C_TO_STRING_NOSLASHESCAPE));
		return;
	}
	json_object_object_foreach(report, key, value) print_value(key, value, 0);
}

/* A layer's keys, read as the guest reads them; its device may be any. */
static int take_layer(const char *text, struct options *o, struct err *e)
{
	static const char key[] = "socle.layer=";
	static uint8_t signatures[VERITY_SIGNATURE_MAX];
	struct verity_signature_pool pool = { signatures, sizeof(signatures), 0 };
	struct volume *v = &o->given;
	int r;

	if (!strncmp(text, key, strlen(key)))
		text += strlen(key);
	volume_init(v, "layer", "socle-layer");
	r = volume_set_all(v, text, &pool, e);
	if (!r)
		r = volume_finish(v, e);
	if (!r && v->hash.kind != DEVREF_NONE)
		r = refuse(e, "hash_device=: only a tree on the same device can be verified here");
	if (!r)
		o->inspect.wanted.given = &v->verity;
	return r;
}

static int take_verify(const char *text, void *field, struct err *e)
{
	struct options *o = field;

	o->inspect.wanted.verify = true;
	return *text ? take_layer(text, o, e) : 0;
}

static int take_partition(const char *text, void *field, struct err *e)
{
	uint64_t number;

	if (parse_u64(text, UINT16_MAX, &number) || !number)
		return refuse(e, "not the number of a partition");
	*(unsigned int *)field = (unsigned int)number;
	return 0;
}

static const struct option_row options[] = {
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ "--verify", "[=LAYER]", 0, take_verify, false,
	  "recompute every hash; fail with the first block that does not match; LAYER is a value "
	  "of socle.layer=, for a tree without a superblock" },
	{ "--root-hash", "HEX", offsetof(struct options, inspect.wanted.root_hash), option_text,
	  false, "compare with this root hash, not with the one in the file" },
	{ "--partition", "N", offsetof(struct options, inspect.partition), take_partition, false,
	  "of a disk, look at this partition only" },
	{ "--files", NULL, offsetof(struct options, files), option_flag, false,
	  "list the files of each erofs and nothing else; with --json an object a line" },
	{ .name = NULL },
};

static int print_files(const char *path, const struct options *o, struct json_object *report,
		       struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? system_failed(e, "open") : list_found_files(fd, report, o->json, e);
}

static int run(int argc, char **argv)
{
	struct options o = { .json = false };
	struct err e = { .text = "" };
	struct json_object *report;
	const char *path = NULL;
	int status = option_parse(&command_inspect, argc, argv, &o, &path);

	if (status)
		return status;
	report = json_object_new_object();
	json_add_text(report, "file", path);
	status = inspect_path(path, &o.inspect, report, &e);
	if (!o.files)
		print_report(report, o.json);
	else if (!status)
		status = print_files(path, &o, report, &e);
	status = err_prefix(&e, status, "%.200s: ", path);
	json_object_put(report);
	return status ? command_failed(&e) : STATUS_OK;
}

const struct command command_inspect = {
	.name = "inspect",
	.summary = "Say what an image is, and the verity parameters behind it",
	.operands = "<file or directory>",
	.details = "The root hash shown is computed from the top block of the tree that the file\n"
		   "holds; it proves nothing before it is compared with one that is trusted.",
	.options = options,
	.run = run,
};
