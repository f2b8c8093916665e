// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/built_image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/disk/erofs_image.h"
#include "image-build/base/limits.h"
#include "image-build/base/refuse.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "image-build/disk/verity_format.h"

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
		     const struct digest *content)
{
	switch (salt->kind) {
	case SALT_CONTENT:
		p->salt_size = (uint16_t)content->size;
		memcpy(p->salt, content->bytes, content->size);
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

static int file_size(int fd, const char *path, uint64_t *ret, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return system_failed(e, "%s", path);
	*ret = (uint64_t)st.st_size;
	return 0;
}

/* The erofs stands in the file: put verity behind it. */
static int seal(int fd, const char *path, const struct salt_choice *salt, struct built_image *image,
		struct err *e)
{
	uint8_t uuid[UUID_SIZE];
	struct digest content;
	uint64_t size = 0;
	int r = file_size(fd, path, &size, e);

	if (!r && (size == 0 || size % EROFS_BLOCK_BYTES || size > LIMIT_IMAGE_BYTES))
		r = refuse(e, "an erofs of %llu bytes", (unsigned long long)size);
	if (!r)
		r = digest_file(fd, size, path, &content, e);
	if (r)
		return r;
	verity_params_init(&image->verity);
	image->verity.data_blocks = size / image->verity.data_block_size;
	set_salt(&image->verity, salt, &content);
	uuid_from_digest("socle verity", &content, uuid);
	return verity_format(fd, &image->verity, uuid, e);
}

int image_make(const struct tree *t, const char *path, const struct salt_choice *salt,
	       struct built_image *ret, _Atomic uint64_t *progress, struct err *e)
{
	struct built_image image = { .size = 0 };
	int fd auto_fd = open(path, O_RDWR | O_CLOEXEC);
	int r;

	if (fd < 0)
		return system_failed(e, "open %s", path);
	r = erofs_write(t, path, image.uuid, progress, e);
	if (!r)
		r = erofs_check(t, path, e);
	if (!r)
		r = seal(fd, path, salt, &image, e);
	if (!r)
		r = file_size(fd, path, &image.size, e);
	if (!r)
		r = digest_file(fd, image.size, path, &image.digest, e);
	if (r)
		return r;
	hex_encode(image.verity.root_hash, SERIAL_DIGITS / 2, image.serial);
	*ret = image;
	return 0;
}
