// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_entry.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

static int apply_numbers(const struct pax *p, struct tar_entry *entry, int64_t *size, struct err *e)
{
	const struct {
		const char *key;
		int64_t *value;
	} numbers[] = { { "uid", &entry->uid }, { "gid", &entry->gid }, { "size", size } };
	static const char *const times[] = { "atime", "ctime", "mtime" };
	int64_t sec = entry->mtime_sec;
	uint32_t nsec = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct pax_record *r = pax_find(p, numbers[i].key);

		if (r && !pax_number(r->value, r->size, numbers[i].value))
			return refuse(e, "pax \"%s\" is \"%.40s\", which is not a number", r->key,
				      r->value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct pax_record *r = pax_find(p, times[i]);

		if (r && !pax_time(r, &sec, &nsec))
			return refuse(e, "pax \"%s\" is \"%.40s\", which is not a time", r->key,
				      r->value);
	}
	/* The last one read is mtime, where there is one. */
	if (pax_find(p, "mtime")) {
		entry->mtime_sec = sec;
		entry->mtime_nsec = nsec;
	}
	return 0;
}

static void apply_names(const struct tar_description *d, struct tar_entry *entry)
{
	const struct pax_record *path = pax_find(&d->pax, "path");
	const struct pax_record *link = pax_find(&d->pax, "linkpath");

	if (path)
		entry->name = path->value;
	if (link)
		entry->link = link->value;
	if (d->long_name && *d->long_name)
		entry->name = d->long_name;
	if (d->long_link && *d->long_link)
		entry->link = d->long_link;
}

static char plain_type(char type, const char *name)
{
	size_t size = strlen(name);

	switch (type) {
	case '\0':
		return size && name[size - 1] == '/' ? '5' : '0';
	case '7': /* "contiguous", which is only about where on the disk it lies */
		return '0';
	default:
		return type;
	}
}

bool tar_has_data(char type)
{
	return type < '1' || type > '6';
}

int tar_entry_sparse(const struct pax *p, struct tar_entry *entry, int64_t *size, struct err *e)
{
	const struct pax_record *name = pax_find(p, "GNU.sparse.name");
	const struct pax_record *real = pax_find(p, "GNU.sparse.size");

	if (!real)
		real = pax_find(p, "GNU.sparse.realsize");
	if (real && !pax_number(real->value, real->size, size))
		return refuse(e, "pax \"%s\" is \"%.40s\", which is not a number", real->key,
			      real->value);
	if (name && memchr(name->value, '\0', name->size))
		return refuse(e, "a NUL in the pax record \"%s\"", name->key);
	if (name)
		entry->name = name->value;
	return 0;
}

int tar_entry_describe(const struct tar_header *h, const struct tar_description *d,
		       struct tar_entry *ret, int64_t *size, struct err *e)
{
	int r;

	*size = h->size;
	*ret = (struct tar_entry){
		.name = h->name,
		.link = h->link,
		.mode = h->mode,
		.uid = h->uid,
		.gid = h->gid,
		.mtime_sec = h->mtime,
		.device_major = h->device_major,
		.device_minor = h->device_minor,
		.pax = &d->pax,
	};
	if (*size < 0 && tar_has_data(h->type))
		return refuse(e, "a file of %lld bytes", (long long)*size);
	r = apply_numbers(&d->pax, ret, size, e);
	if (r)
		return r;
	apply_names(d, ret);
	ret->type = plain_type(h->type, ret->name);
	if (!tar_has_data(ret->type))
		*size = 0;
	if (*size < 0)
		return refuse(e, "a file of %lld bytes", (long long)*size);
	return 0;
}
