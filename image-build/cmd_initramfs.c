// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image initramfs: an initramfs that is the same every time. */
#include <stdio.h>

#include "image-build/command.h"
#include "image-build/initramfs/initramfs.h"

static const struct option_row options[] = {
	{ "--init", "FILE", offsetof(struct initramfs_options, init), option_text, false,
	  "the program that becomes /init; static" },
	{ "--output", "FILE", offsetof(struct initramfs_options, output), option_text, false,
	  "where to write the initramfs" },
	{ "--kernel-modules", "DIR", offsetof(struct initramfs_options, kernel_modules),
	  option_text, false,
	  "a directory like /lib/modules/<release>: pack what init needs of it" },
	{ "--kernel", "FILE", offsetof(struct initramfs_options, kernel), option_text, false,
	  "check that this kernel (an image or its .config) can unpack and boot it" },
	{ "--module", "NAME", offsetof(struct initramfs_options, modules), option_list, true,
	  "pack this module, too, and all that it depends on" },
	{ "--policy", "FILE", offsetof(struct initramfs_options, policy), option_text, false,
	  "pack this policy, after checking it" },
	{ "--manifest", "FILE", offsetof(struct initramfs_options, manifest), option_text, false,
	  "pack this boot manifest, after checking it" },
	{ "--cmdline", "TEXT", offsetof(struct initramfs_options, cmdline), option_text, false,
	  "the kernel command line: check it, and pack what it asks for" },
	{ "--machine", "WORD,...", offsetof(struct initramfs_options, machine), option_list, true,
	  "the machine's buses and disks, such as virtio-pci,virtio-blk: pack drivers for these" },
	{ "--volumes", NULL, offsetof(struct initramfs_options, volumes), option_flag, false,
	  "the agent opens volumes later: pack socle-volume and what these need, too" },
	{ "--volume-program", "FILE", offsetof(struct initramfs_options, volume_program),
	  option_text, false, "the program for --volumes; default: socle-volume beside --init" },
	{ "--file", "DEST=SRC", offsetof(struct initramfs_options, files), option_list, true,
	  "pack the file SRC under the name DEST" },
	{ "--compress", "none|gzip|zstd", offsetof(struct initramfs_options, compression),
	  sink_parse_compression, false, "default: none" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct initramfs_options o = { .compression = COMPRESSION_NONE };
	struct err e = { .text = "" };
	int status = option_parse(&command_initramfs, argc, argv, &o, NULL);
	const char *missing;

	if (status)
		return status;
	missing = !o.init                              ? "--init is missing" :
		  !o.output                            ? "--output is missing" :
		  o.modules.count && !o.kernel_modules ? "--module needs --kernel-modules" :
		  o.volume_program && !o.volumes       ? "--volume-program needs --volumes" :
							 NULL;
	if (missing) {
		fprintf(stderr, "socle-image initramfs: %s; see socle-image initramfs --help\n",
			missing);
		return STATUS_USAGE;
	}
	return initramfs_pack(&o, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_initramfs = {
	.name = "initramfs",
	.summary = "Pack an initramfs, byte for byte the same every time",
	.operands = "",
	.details =
		"With --kernel-modules the modules are in /etc/socle/modules/<name>.ko, unpacked,\n"
		"and /etc/socle/modules/load names them in the order in which init loads them; a\n"
		"\"-\" before a name there means that it may fail to load.",
	.options = options,
	.run = run,
};
