// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "mount/program/program.h"

static void add_layer_json(struct record *r, const struct socle_layer_info *l)
{
	char status[2] = { l->status, '\0' };

	record_add(r, "{\"kind\":\"%s\",\"device\":", l->kind);
	record_add_string(r, l->device);
	record_add(r, ",\"name\":");
	record_add_string(r, l->name);
	record_add(r, ",\"data\":");
	record_add_string(r, l->data[0] ? l->data : NULL);
	record_add(r, ",\"root_hash\":");
	record_add_string(r, l->root_hash[0] ? l->root_hash : NULL);
	record_add(r, ",\"status\":");
	record_add_string(r, l->status ? status : NULL);
	record_add(r, ",\"size_bytes\":%llu}", (unsigned long long)l->size_bytes);
}

static int add_json(const struct socle_mount_info *m, void *data)
{
	struct record *r = data;

	record_add(r, "%s{\"target\":", r->used > strlen("{\"mounts\":[") ? "," : "");
	record_add_string(r, m->target);
	record_add(r, ",\"id\":\"%s\",\"writable\":%s,\"layers\":[", m->id,
		   m->writable ? "true" : "false");
	for (size_t i = 0; i < m->layer_count; i++) {
		record_add(r, "%s", i ? "," : "");
		add_layer_json(r, &m->layers[i]);
	}
	record_add(r, "]}");
	return 0;
}

static int add_text(const struct socle_mount_info *m, void *data)
{
	struct record *r = data;

	record_add(r, "%s%s\n", m->target ? m->target : "(not mounted here) ",
		   m->target ? (m->writable ? " writable" : " read-only") : m->id);
	for (size_t i = 0; i < m->layer_count; i++) {
		const struct socle_layer_info *l = &m->layers[i];

		record_add(r, "  %c  %-12s %-8s %s\n", l->status ? l->status : '-', l->device,
			   l->data[0] ? l->data : "-", l->root_hash[0] ? l->root_hash : l->kind);
	}
	return 0;
}

static int run(int argc, char **argv)
{
	bool as_json = argc == 2 && !strcmp(argv[1], "--json");
	struct record record = { 0 };
	struct socle_error error;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return program_help(&command_list);
	if (argc != 1 + as_json)
		return program_usage(&command_list, "an argument is unknown", NULL);
	if (as_json)
		record_add(&record, "{\"mounts\":[");
	if (socle_list(as_json ? add_json : add_text, &record, &error)) {
		free(record.text);
		return program_refuse(&error, as_json);
	}
	if (as_json)
		record_add(&record, "]}\n");
	record_say(&record);
	return PROGRAM_DONE;
}

const struct command command_list = {
	.name = "list",
	.run = run,
	.usage = "[--json]",
	.help = "What is mounted, of which devices, with each root hash and what the kernel says\n"
		"of it now: V, every block that was read matched; C, one did not.\n"
		"\n"
		"  --json                 for programs\n",
};
