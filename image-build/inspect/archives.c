// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/archives.h"

#include <sys/mman.h>

#include "image-build/base/json.h"
#include "image-build/base/refuse.h"
#include "image-build/initramfs/cpio_scan.h"

static struct json_object *segment_object(const struct cpio_segment *s)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "compression", compression_name(s->compression));
	json_add_number(o, "offset", s->offset);
	json_add_number(o, "entries", s->entries);
	json_add_number(o, "content_bytes", s->content_bytes);
	return o;
}

int archives_read(const struct slice *file, struct json_object *o, struct err *e)
{
	struct json_object *list;
	struct cpio_facts facts;
	void *bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	int r;

	if (bytes == MAP_FAILED)
		return system_failed(e, "map");
	r = cpio_scan(bytes, file->size, &facts, e);
	munmap(bytes, file->size);
	if (r)
		return r;
	list = json_object_new_array();
	for (size_t i = 0; i < facts.count; i++)
		json_object_array_add(list, segment_object(&facts.segments[i]));
	json_add_text(o, "type", "initramfs");
	json_add_bool(o, "init", facts.has_init);
	json_object_object_add(o, "archives", list);
	return 0;
}
