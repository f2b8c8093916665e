// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_socle.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/runtime/socle.h"

#define WAIT_MS 20000

void fake_socle(void)
{
}

/* A file beside the target. */
static void beside(const char *target, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%.*s/%s", (int)(strrchr(target, '/') - target), target, name);
}

static void wait_for(const char *path)
{
	for (int ms = 0; ms < WAIT_MS && access(path, F_OK); ms++)
		usleep(1000);
}

static void write_request(const struct socle_request *request, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fprintf(f, "form=%s upper=%s on_corruption=%s timeout_ms=%d size=%zu\n%s\n",
		request->form ? request->form : "-", request->upper ? request->upper : "-",
		request->on_corruption ? request->on_corruption : "-", request->timeout_ms,
		request->description_size, request->description);
	for (size_t i = 0; i < request->option_count; i++)
		fprintf(f, "volume-%u device=%s sidecar=%s unverified=%d\n",
			request->options[i].number,
			request->options[i].device ? request->options[i].device : "-",
			request->options[i].sidecar ? request->options[i].sidecar : "-",
			request->options[i].allow_unverified);
	fclose(f);
}

int socle_mount(const struct socle_request *request, const char *target, struct socle_error *error)
{
	char path[2048];

	if (strstr(request->description, "refuse")) {
		strcpy(error->code, "ROOT_HASH_MISMATCH");
		strcpy(error->step, "verity");
		strcpy(error->volume, "volume-0");
		strcpy(error->text, "the top of \"x\" does not match");
		return -EILSEQ;
	}
	if (strstr(request->description, "die"))
		raise(SIGKILL);
	beside(target, "go", path, sizeof(path));
	if (strstr(request->description, "wait"))
		wait_for(path);
	beside(target, "request", path, sizeof(path));
	write_request(request, path);
	return mkdir(target, 0755) && errno != EEXIST ? -errno : 0;
}

int socle_umount(const char *target, unsigned int *ret_deferred, struct socle_error *error)
{
	(void)ret_deferred;
	(void)error;
	return rmdir(target);
}
