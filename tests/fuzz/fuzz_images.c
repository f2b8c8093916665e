// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any list of images: refused with a reason, or every one of it is found and can be told. */
#include <string.h>

#include "mount/serve/images.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct image *image = &images->image[i];

		REQUIRE(images_find(images, image->reference) == image);
		REQUIRE(strlen(image->description) == image->description_size);
		/* Neither has to be escaped in the event of a measurement. */
		REQUIRE(!strpbrk(image->reference, "\"\\ ") && !strpbrk(image->digest, "\"\\ "));
		REQUIRE(strlen(image->digest) < 144);
		REQUIRE(!image->volume_count == !image->volumes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct images images;
	char *text = malloc(size + 1);
	struct err e = { 0 };

	REQUIRE(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (images_add(&images, text, size, &e))
		REQUIRE(e.code != FAIL_NONE && e.text[0]);
	else
		check(&images);
	images_free(&images);
	free(text);
	return 0;
}
