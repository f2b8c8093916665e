// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * libsocle from eight threads under ThreadSanitizer, on a kernel in memory that puts no
 * order between them (tests/unit/mount/runtime/machine/fake_kernel.h). Each has a target
 * of its own and one that all want; and each plans. tests/check/check_threads.sh runs it.
 */
#include "tests/unit/mount/runtime/machine/stacks.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mount/runtime/library.c"

#define THREADS 8
#define ROUNDS  12

#define LINES PROVED("vda") PROVED("vdb")

/* One of each form. */
static const char *const forms[] = {
	LINES,
	"{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"fstype\":\"erofs\","
	"\"data_blocks\":8,\"root_hash\":\"" HASH "\"}],\"upper\":\"tmpfs\"}",
	"{\"volume_type\":\"image_guest_pull\",\"source\":\"dummy-image-reference\","
	"\"image_pull\":{\"metadata\":{}}}",
	"[{\"Type\":\"erofs\",\"Source\":\"/x/layer.erofs\",\"Options\":[\"ro\"]}]",
	"{\"driver\":\"erofs.multi-layer\",\"source\":\"\",\"fstype\":\"erofs\"}",
	"[[[[",
};

struct job {
	pthread_t thread;
	unsigned int number;
	unsigned int done, in_use, seen;
	char said[256]; /* what went wrong first */
};

static void wrong(struct job *j, const char *what, int r, const struct socle_error *e)
{
	if (!j->said[0])
		snprintf(j->said, sizeof(j->said), "%s: %d %.31s %.120s", what, r, e->code,
			 e->text);
}

static int count(const struct socle_mount_info *mount, void *data)
{
	struct job *j = data;

	j->seen += mount->layer_count > 0;
	return 0;
}

static void plan(struct job *j)
{
	static const char *const directories[] = { "/run/image/0", "/run/image/1" };
	char text[8192];

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct socle_error e = { .code = "" };
		const struct socle_request request = {
			.description = forms[i],
			.description_size = strlen(forms[i]),
			.directories = directories,
			.directory_count = i == 2 ? 2 : 0,
		};
		int r = socle_plan(&request, (int)(j->number & 1), text, sizeof(text), NULL, &e);

		if (i < 3 ? r != 0 : r == 0 || !e.code[0])
			wrong(j, "plan", r, &e);
	}
}

static void mount_and_umount(struct job *j, const char *target, bool mine)
{
	const struct socle_request request = {
		.description = LINES,
		.description_size = strlen(LINES),
		.upper = "tmpfs",
		/* Of the one that all want there are two that cannot be there together. */
		.on_corruption = !mine && j->number & 1 ? "eio" : "panic",
		.timeout_ms = 20000,
	};
	struct socle_error e = { .code = "" };
	unsigned int left;
	int r = socle_mount(&request, target, &e);

	if (!r)
		j->done++;
	else if (r == -EBUSY && !mine)
		j->in_use++;
	else
		wrong(j, "mount", r, &e);
	r = socle_list(count, j, &e);
	if (r)
		wrong(j, "list", r, &e);
	r = mine ? socle_verify(target, NULL, NULL, &e) : 0;
	if (r)
		wrong(j, "verify", r, &e);
	r = socle_umount(target, &left, &e);
	if (r && (mine || r != -EBUSY))
		wrong(j, "umount", r, &e);
}

static void *work(void *context)
{
	struct job *j = context;
	char target[64];

	snprintf(target, sizeof(target), "/run/bundle/%u", j->number);
	for (int i = 0; i < ROUNDS; i++) {
		mount_and_umount(j, target, true);
		mount_and_umount(j, "/run/bundle/shared", false);
		plan(j);
	}
	return NULL;
}

static int run(void)
{
	static struct job jobs[THREADS];
	unsigned int in_use = 0, bad = 0;
	struct fake_left left;

	new_machine();
	for (unsigned int i = 0; i < THREADS; i++) {
		jobs[i].number = i;
		if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]))
			return 1;
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
	for (unsigned int i = 0; i < THREADS; i++) {
		struct job *j = &jobs[i];

		in_use += j->in_use;
		if (j->said[0] || j->done < ROUNDS || j->seen < ROUNDS) {
			printf("thread %u: %s (%u mounted, %u seen)\n", i, j->said, j->done,
			       j->seen);
			bad++;
		}
	}
	left = fake_kernel_left();
	printf("%d threads, %d rounds, %u times in use: %u devices and %u mounts left\n", THREADS,
	       ROUNDS, in_use, left.devices, left.mounts);
	return bad || left.devices || left.mounts || left.keys;
}

int main(void)
{
	return with_own_run(run);
}
