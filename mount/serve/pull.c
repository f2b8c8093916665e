// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/pull.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"
#include "mount/runtime/socle.h"
#include "mount/serve/measure.h"

void pull_refuse(struct pull_answer *ret, enum message_status status, const char *step,
		 const struct err *e)
{
	memset(ret, 0, sizeof(*ret));
	ret->status = status;
	snprintf(ret->line, sizeof(ret->line), ERR_LINE, step, e->volume[0] ? e->volume : "-",
		 fail_name(e->code), e->text);
}

static void refuse_as_told(struct pull_answer *ret, const struct socle_error *error)
{
	memset(ret, 0, sizeof(*ret));
	ret->status = STATUS_FAILED_PRECONDITION;
	snprintf(ret->line, sizeof(ret->line), ERR_LINE, error->step,
		 error->volume[0] ? error->volume : "-", error->code, error->text);
}

/*
 * A bundle is a folder of the agent's, one for each container, right below the one that
 * has them all, and nothing on the way is a link that leads elsewhere.
 */
static int check_bundle(const char *bundles, const char *bundle, char target[PULL_TEXT_SIZE],
			struct err *e)
{
	const char *name = text_behind(bundle, bundles);
	struct stat st;

	if (!text_is_path(bundle) || !name || *name != '/' || strchr(name + 1, '/'))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the bundle \"%.200s\" is not a folder in %.200s", bundle, bundles);
	if (snprintf(target, PULL_TEXT_SIZE, "%s/rootfs", bundle) >= PULL_TEXT_SIZE)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "the bundle's path is too long");
	if ((!lstat(bundle, &st) && !S_ISDIR(st.st_mode)) ||
	    (!lstat(target, &st) && !S_ISDIR(st.st_mode)))
		return err_set(e, FAIL_VALUE_INVALID, ENOTDIR,
			       "the bundle \"%.200s\" or its rootfs is not a folder", bundle);
	return 0;
}

static int find_image(const struct catalogue *catalogue, const char *reference,
		      const struct image **ret, struct err *e)
{
	if (catalogue->broken.code != FAIL_NONE) {
		*e = catalogue->broken;
		return -EINVAL;
	}
	*ret = images_find(&catalogue->images, reference);
	if (!*ret)
		return err_set(e, FAIL_IMAGE_UNKNOWN, ENOENT,
			       "no disks are described for the image \"%.500s\"", reference);
	return 0;
}

static int mount_image(const struct serve_options *options, const struct image *image,
		       const char *target, struct socle_error *error)
{
	const struct socle_request request = {
		.form = image->form,
		.description = image->description,
		.description_size = image->description_size,
		.options = image->volumes,
		.option_count = image->volume_count,
		.upper = image->upper,
		.on_corruption = options->on_corruption,
		.timeout_ms = options->timeout_ms,
	};

	return socle_mount(&request, target, error);
}

void pull_run(const struct serve_options *options, const struct catalogue *catalogue,
	      const struct pull_request *request, struct pull_answer *ret)
{
	const char *bundles = options->bundles ? options->bundles : SERVE_BUNDLES;
	struct socle_error error = { 0 };
	const struct image *image = NULL;
	char target[PULL_TEXT_SIZE];
	struct err e = { 0 };

	if (find_image(catalogue, request->image, &image, &e)) {
		pull_refuse(ret,
			    e.code == FAIL_IMAGE_UNKNOWN ? STATUS_NOT_FOUND :
							   STATUS_FAILED_PRECONDITION,
			    "describe", &e);
		return;
	}
	if (check_bundle(bundles, request->bundle, target, &e)) {
		pull_refuse(ret, STATUS_INVALID_ARGUMENT, "mounts", &e);
		return;
	}
	if (mount_image(options, image, target, &error)) {
		refuse_as_told(ret, &error);
		return;
	}
	/* Nothing of it has run yet: it does once the caller has its answer. */
	if (options->attestation &&
	    measure_pull(options->attestation, image->reference, image->digest, &e)) {
		(void)socle_umount(target, NULL, NULL);
		pull_refuse(ret, STATUS_FAILED_PRECONDITION, "measure", &e);
		return;
	}
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->digest, sizeof(ret->digest), "%s", image->digest);
}
