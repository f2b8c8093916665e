// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * many_names KIND COUNT: layers with so many names in all are read, resolved and merged as
 * socle-image does; the tars come through a pipe and are nowhere else. Prints what that took:
 * "COUNT names, PEAK KiB, TIME ms". KIND is one of those below.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image-build/tree/layer_read.h"
#include "image-build/tree/merge.h"
#include "image-build/tree/resolve.h"

#define LAYERS 2
#define BLOCK  512

static const struct kind {
	const char *name;
	char type;
	uint32_t in_one; /* names of one directory */
	bool jumbled;    /* in no order */
} kinds[] = {
	{ "files", '0', 50, false },          { "one-directory", '0', UINT32_MAX, false },
	{ "jumbled", '0', UINT32_MAX, true }, { "directories", '5', UINT32_MAX, false },
	{ "links", '2', 50, false },
};

static void die(const char *what)
{
	fprintf(stderr, "many_names: %s\n", what);
	exit(1);
}

static void put_entry(FILE *out, const struct kind *k, uint32_t n)
{
	char h[BLOCK] = { 0 };
	unsigned int sum = 0;

	snprintf(h, 100, "usr/lib/d%05u/some-name-of-ours-%08u", n / k->in_one, n);
	snprintf(h + 100, 8, "%07o", 0755);
	snprintf(h + 124, 12, "%011o", 0);
	memset(h + 148, ' ', 8);
	h[156] = k->type;
	if (k->type == '2')
		snprintf(h + 157, 100, "some-target-of-ours-%u", n);
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	fwrite(h, 1, BLOCK, out);
}

/* Every number below count once: count has no factor in common with the step. */
static uint32_t jumble(uint32_t i, uint32_t count)
{
	return (uint32_t)((uint64_t)i * 2147483647 % count);
}

/* A layer's share of the names, written by a child. */
static int start_writer(const struct kind *k, uint32_t layer, uint32_t count)
{
	static const char end[2 * BLOCK];
	int fds[2];
	FILE *out;

	if (pipe(fds))
		die("no pipe");
	if (fork()) {
		close(fds[1]);
		return fds[0];
	}
	close(fds[0]);
	out = fdopen(fds[1], "w");
	for (uint32_t i = layer; i < count; i += LAYERS)
		put_entry(out, k, k->jumbled ? jumble(i, count) : i);
	fwrite(end, 1, sizeof(end), out);
	_exit(fclose(out) ? 1 : 0);
}

static void read_layer(struct layer *l, int fd)
{
	struct err e = { .text = "" };
	struct blob b;
	int r;

	layer_init(l);
	store_open(&l->store, memfd_create("store", MFD_CLOEXEC), -1, 0);
	r = blob_open(&b, fd, COMPRESSION_NONE, "sha256", "sha256", NULL, &e);
	if (!r)
		r = layer_read(l, &b, &e);
	blob_close(&b);
	close(fd);
	if (r)
		die(e.text);
}

static unsigned long peak_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long peak = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu kB", &peak) == 1)
			break;
	if (!f || !peak)
		die("no VmHWM");
	fclose(f);
	return peak;
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	die("no such kind");
	return NULL;
}

int main(int argc, char **argv)
{
	static struct layer layers[LAYERS];
	struct err e = { .text = "" };
	const struct kind *k = argc == 3 ? find_kind(argv[1]) : NULL;
	uint32_t count = k ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

	if (!count)
		die("KIND COUNT");
	for (uint32_t i = 0; i < LAYERS; i++)
		read_layer(&layers[i], start_writer(k, i, count));
	for (size_t i = 0; i < LAYERS; i++)
		if (resolve_layer(layers, i, &e))
			die(e.text);
	merge_layers(layers, LAYERS);
	printf("%zu names, %lu KiB, %ld ms\n", layers[0].tree.names, peak_kib(),
	       (long)(clock() / (CLOCKS_PER_SEC / 1000)));
	for (size_t i = 0; i < LAYERS; i++)
		layer_free(&layers[i]);
	while (wait(NULL) > 0)
		;
	return 0;
}
