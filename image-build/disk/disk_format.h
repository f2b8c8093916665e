/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_DISK_FORMAT_H
#define IMAGE_BUILD_DISK_DISK_FORMAT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "image-build/base/option.h"
#include "image-build/base/output.h"
#include "image-build/base/slice.h"
#include "image-build/disk/built_image.h"
#include "lib/err.h"
#include "verity/params.h"

/*
 * What every format of a disk has in common: file systems go in, a file comes out,
 * and texts that say how it is opened. One file a format: format_*.c; the
 * table is in disk_format.c.
 */
#define DISK_PARTS_MAX  254 /* a tarfs has as many devices */
#define DISK_FILES_MAX  8   /* beside the disk itself */
#define DISK_DEVICE_MAX 128 /* bytes of a device reference, the closing NUL included */

/* What a format takes of the options below; what it does not take is refused. */
enum disk_option {
	DISK_SALT = 1 << 0,
	DISK_SECTOR_SIZE = 1 << 1,
	DISK_NO_SUPERBLOCK = 1 << 2,
	DISK_FEC = 1 << 3,
	DISK_NAME = 1 << 4,
	DISK_DAX_HEADER = 1 << 5,
	DISK_ARCH = 1 << 6,
	DISK_UKI = 1 << 7,
	DISK_SIGNATURE = 1 << 8,
	DISK_SOURCE = 1 << 9,
	DISK_CERTIFICATE = 1 << 10,
	DISK_NO_VERITY = 1 << 11,
};

struct disk_options {
	const char *output;
	unsigned int given; /* enum disk_option */
	struct salt_choice salt;
	uint64_t sector_size;    /* bytes */
	uint64_t fec_roots;      /* 0: no FEC */
	const char *name;        /* of an extension */
	const char *arch;        /* as uname -m has it */
	const char *uki;         /* a file; or NULL */
	const char *signature;   /* PKCS#7 in DER, a file; or NULL */
	const char *certificate; /* that made it, PEM or DER, a file; or NULL */
	const char *source;      /* what the guest's agent is told of the disk; or NULL */
	bool no_superblock, no_verity, dax_header;
};

/* One file system that goes in. */
struct disk_part {
	char *path;              /* of the file; allocated */
	struct slice data;       /* short of whole data blocks, zeros follow */
	struct slice file;       /* all of the file */
	char fstype[16];         /* "erofs" */
	uint32_t io_size;        /* bytes; data blocks are not larger */
	unsigned int devices;    /* parts behind it that it needs as its own */
	uint8_t uuid[UUID_SIZE]; /* of its verity superblock, where it is sealed */
	/* All but where the tree is. A root hash that is there must come out again. */
	struct verity_params verity;
	bool sealed;                  /* by the numbers above, and so a root hash is there */
	uint64_t superblock_at;       /* bytes of the hash device; where part_place_tree() put it */
	char device[DISK_DEVICE_MAX]; /* set by the format: what the guest finds it by, "" for a
					 serial number */
};

struct disk {
	const struct disk_options *options;
	const struct option_list *operands; /* as they were given */
	const struct disk_format *format;
	struct disk_part *parts; /* topmost first */
	size_t count;
	struct output out;
	struct output files[DISK_FILES_MAX];
	size_t file_count;
	struct json_object *report; /* borrowed; the format adds what is its own */
};

/* What salt a tree gets where --salt does not say it. */
enum disk_salt {
	DISK_SALT_OWN,  /* that of the tree that it has, else of its content */
	DISK_SALT_ZERO, /* 32 zero bytes */
	DISK_SALT_NONE, /* none, and no other */
};

struct disk_format {
	const char *name, *summary;
	unsigned int takes, needs; /* enum disk_option */
	size_t parts_max;
	bool tarfs; /* the parts behind the first are its devices, no file systems */
	enum disk_salt salt;
	int (*write)(struct disk *d, struct err *e);
};

/* NULL-terminated. */
extern const struct disk_format *const disk_formats[];

/* NULL where there is no such format. */
const struct disk_format *disk_format_find(const char *name);

extern const struct disk_format format_raw, format_verity, format_hash_file, format_kata,
	format_kata_extension, format_kata_gpt, format_dps, format_containerd, format_nydus,
	format_layers;

#endif
