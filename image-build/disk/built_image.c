// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/built_image.h"

#include <string.h>
#include <unistd.h>

#include "image-build/base/jobs.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/erofs_build.h"
#include "image-build/disk/erofs_image.h"
#include "image-build/disk/verity_format.h"
#include "lib/hex.h"

int salt_parse(const char *text, void *field, struct err *e)
{
	struct salt_choice salt = { .kind = SALT_GIVEN };
	int size = hex_decode(text, salt.bytes, sizeof(salt.bytes));

	if (!strcmp(text, "content"))
		salt.kind = SALT_CONTENT;
	else if (!strcmp(text, "none"))
		salt.kind = SALT_NONE;
	else if (size <= 0)
		return refuse(e, "--salt must be content, none or 1 to %d bytes in hex",
			      VERITY_SALT_MAX);
	else
		salt.size = (uint16_t)size;
	memcpy(field, &salt, sizeof(salt));
	return 0;
}

static void set_salt(struct verity_params *p, const struct salt_choice *salt,
		     const struct digest *source)
{
	switch (salt->kind) {
	case SALT_CONTENT:
		p->salt_size = (uint16_t)source->size;
		memcpy(p->salt, source->bytes, source->size);
		return;
	case SALT_NONE:
		p->salt_size = 0;
		return;
	case SALT_GIVEN:
		p->salt_size = salt->size;
		memcpy(p->salt, salt->bytes, salt->size);
		return;
	}
}

struct works {
	struct image_making *list;
	size_t count;
	const struct salt_choice *salt;
	_Atomic uint64_t *done;
};

/* --- one core for each image: its metadata ------------------------------------- */

static int write_erofs(struct image_making *m, const struct salt_choice *salt, struct err *e)
{
	uint64_t data_end = (uint64_t)m->store->blocks * CONTENT_BLOCK;
	struct verity_params p;
	uint8_t uuid[UUID_SIZE];
	int fd = m->store->data.fd;
	int r;

	uuid_from_digest("socle erofs", m->source, m->image.uuid);
	r = erofs_build(m->tree, fd, data_end, m->image.uuid, &m->erofs_size, e);
	if (!r && m->erofs_size > LIMIT_IMAGE_BYTES)
		r = refuse_limit(e, "an erofs of %llu bytes, at most %llu",
				 (unsigned long long)m->erofs_size, LIMIT_IMAGE_BYTES);
	/* A store that was packed had more. */
	if (!r && ftruncate(fd, (off_t)m->erofs_size))
		r = system_failed(e, "set the size of %s", m->path);
	if (r)
		return r;
	verity_params_init(&p);
	p.data_blocks = m->erofs_size / p.data_block_size;
	set_salt(&p, salt, m->source);
	uuid_from_digest("socle verity", m->source, uuid);
	return verity_format_open(&m->verity, fd, &p, uuid, e);
}

static int begin(void *context, size_t index, struct err *e)
{
	struct works *w = context;
	struct image_making *m = &w->list[index];

	return err_prefix(e, write_erofs(m, w->salt, e), "%s", m->label);
}

/* --- all cores: checks and hash trees -------------------------------------------- */

static int run_part(struct works *w, uint64_t part, struct err *e)
{
	struct image_making *m = w->list;
	int r;

	while (part >= tree_making_parts(&m->verity))
		part -= tree_making_parts(&m++->verity);
	r = tree_making_part(&m->verity, part, e);
	atomic_fetch_add(w->done, m->erofs_size / tree_making_parts(&m->verity));
	return err_prefix(e, r, "%s", m->label);
}

/* The long ones first. */
static int work(void *context, size_t index, struct err *e)
{
	struct works *w = context;
	struct image_making *m = &w->list[index];

	if (index >= w->count)
		return run_part(w, index - w->count, e);
	return err_prefix(e, erofs_check(m->tree, m->path, e), "%s", m->label);
}

/* --- and the ends ------------------------------------------------------------------ */

static int finish(struct image_making *m, struct err *e)
{
	struct built_image *image = &m->image;
	int r = tree_making_close(&m->verity, e);

	if (r)
		return err_prefix(e, r, "%s", m->label);
	image->size = m->verity.shape.end_bytes;
	image->verity = m->verity.p;
	hex_encode(image->verity.root_hash, SERIAL_DIGITS / 2, image->serial);
	return 0;
}

int images_make(struct image_making *list, size_t count, const struct salt_choice *salt,
		_Atomic uint64_t *done, struct progress *p, struct err *e)
{
	struct works w = { list, count, salt, done };
	uint64_t parts = 0;
	int r;

	r = jobs_in_threads(count, begin, &w, p, e);
	for (size_t i = 0; !r && i < count; i++)
		parts += tree_making_parts(&list[i].verity);
	if (!r)
		r = jobs_in_threads(count + parts, work, &w, p, e);
	for (size_t i = 0; !r && i < count; i++)
		r = finish(&list[i], e);
	return r;
}
