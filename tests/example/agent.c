// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The least that an agent does with libsocle.a: mount what is described on its standard
 * input on a target, say what it is made of, and unmount it.
 *
 *     cc agent.c $(pkg-config --static --cflags --libs socle) -static -o agent
 *     agent /run/container/rootfs <volume.json
 */
#include <socle.h>
#include <stdio.h>

static int show(const struct socle_mount_info *mount, void *data)
{
	(void)data;
	for (size_t i = 0; i < mount->layer_count; i++)
		printf("%s: %s %c %s\n", mount->target ? mount->target : "-",
		       mount->layers[i].device,
		       mount->layers[i].status ? mount->layers[i].status : '-',
		       mount->layers[i].root_hash);
	return 0;
}

int main(int argc, char **argv)
{
	static char text[1 << 20];
	const struct socle_request request = {
		.description = text,
		.description_size = fread(text, 1, sizeof(text) - 1, stdin),
	};
	struct socle_error error = { .code = "" };
	int r = argc == 2 && socle_abi() == SOCLE_ABI ? 0 : -1;

	if (!r)
		r = socle_mount(&request, argv[1], &error);
	if (!r)
		r = socle_list(show, NULL, &error);
	if (!r)
		r = socle_umount(argv[1], NULL, &error);
	if (r)
		fprintf(stderr, "%s %s: %s\n", error.code, error.volume, error.text);
	return r ? 1 : 0;
}
