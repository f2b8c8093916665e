// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * What inspect says of files, made here to look like those of each producer; and
 * of the producers' own files, where they are at hand ($SOCLE_FIXTURES).
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "image-build/disk/verity_format.h"
#include "image-build/inspect/inspect.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "lib/uuid.h"
#include "mount/describe/socle.h"
#include "verity/superblock.h"

static void put_le(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A file that is being made, and what inspect then says of it. */
struct subject {
	struct temp temp;
	char path[96];
	uint8_t *bytes;
	size_t size;
	struct verity_params p; /* of its tree, where it has one */
	struct inspect_options options;
	struct json_object *report;
	struct err e;
	int r;
};

static void begin(struct subject *s, size_t size)
{
	*s = (struct subject){ .size = size, .bytes = calloc(1, size) };
	temp_make(&s->temp);
	snprintf(s->path, sizeof(s->path), "%s/file", s->temp.path);
	/* Never all zero, so that a tree of another place is another tree. */
	for (size_t i = 8192; i < size; i += 512)
		put_le(s->bytes + i, 4, i);
}

/* The bytes into the file, and a tree behind them. */
static void seal(struct subject *s, uint32_t data_block_size, uint32_t hash_block_size)
{
	static const uint8_t uuid[UUID_SIZE] = { 1 };
	int fd;

	put_bytes(s->temp.fd, "file", s->bytes, s->size);
	verity_params_init(&s->p);
	s->p.data_block_size = data_block_size;
	s->p.hash_block_size = hash_block_size;
	s->p.data_blocks = s->size / data_block_size;
	fd = open(s->path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	expect_success("seal", verity_format(fd, &s->p, uuid, &s->e), &s->e);
	close(fd);
}

static void look(struct subject *s)
{
	json_object_put(s->report);
	s->report = json_object_new_object();
	s->e = (struct err){ .text = "" };
	s->r = inspect_path(s->path, &s->options, s->report, &s->e);
}

static void end(struct subject *s)
{
	json_object_put(s->report);
	free(s->bytes);
	temp_remove(&s->temp);
}

/* A member by its path, "verity.data_blocks" or "partitions.0.type", as text; "-": not there. */
static const char *value(const struct subject *s, const char *path)
{
	char copy[96], *rest = copy, *key;
	struct json_object *o = s->report;

	snprintf(copy, sizeof(copy), "%s", path);
	while (o && (key = strsep(&rest, "."))) {
		struct json_object *next = NULL;

		if (json_object_is_type(o, json_type_array))
			next = json_object_array_get_idx(o, (size_t)atoi(key));
		else
			json_object_object_get_ex(o, key, &next);
		o = next;
	}
	return o ? json_object_get_string(o) : "-";
}

static void expect_number(const struct subject *s, const char *path, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	assert_string_equal(value(s, path), text);
}

static void expect_root(const struct subject *s, const char *path)
{
	char hex[2 * VERITY_DIGEST_MAX + 1];

	hex_encode(s->p.root_hash, s->p.root_hash_size, hex);
	assert_string_equal(value(s, path), hex);
}

/* --- file systems ------------------------------------------------------------------ */

static void make_erofs(uint8_t *at, unsigned int bits, uint32_t blocks)
{
	uint8_t *sb = at + 1024;

	put_le(sb, 4, 0xe0f5e1e2);
	sb[12] = (uint8_t)bits;
	put_le(sb + 36, 4, blocks);
}

struct device {
	uint32_t blocks, start;
};

static void add_devices(uint8_t *at, const struct device *devices, size_t count)
{
	uint8_t *sb = at + 1024;

	put_le(sb + 80, 4, 8);
	put_le(sb + 86, 2, count);
	put_le(sb + 88, 2, 11);
	for (size_t i = 0; i < count; i++) {
		put_le(at + 1408 + 128 * i + 64, 4, devices[i].blocks);
		put_le(at + 1408 + 128 * i + 68, 4, devices[i].start);
	}
}

/* containerd's [index][tar]: the table ends where the tar's content does, not the tar. */
static void test_tar_index(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, 40 * 512);
	make_erofs(s.bytes, 9, 8);
	add_devices(s.bytes, &(struct device){ 12, 8 }, 1);
	seal(&s, 512, 512);
	s.options.wanted.verify = true;
	look(&s);
	expect_success("index and tar", s.r, &s.e);
	assert_string_equal(value(&s, "type"), "erofs+verity");
	assert_string_equal(value(&s, "devices_within"), "true");
	assert_string_equal(value(&s, "verified"), "true");
	expect_number(&s, "filesystem_bytes", 20 * 512);
	expect_number(&s, "verity.data_blocks", 40);
	expect_number(&s, "verity.hash_start", 41);
	expect_root(&s, "verity.root_hash");
	assert_non_null(strstr(value(&s, "cmdline"), ",data_blocks=40,data_block_size=512,"));
	end(&s);
}

/* The superblock is at the next hash block, far behind a small file system. */
static void test_large_hash_blocks(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, 65536);
	make_erofs(s.bytes, 12, 3);
	seal(&s, 4096, 65536);
	s.options.wanted.verify = true;
	look(&s);
	expect_success("large hash blocks", s.r, &s.e);
	expect_number(&s, "verity.hash_block_size", 65536);
	expect_number(&s, "verity.data_blocks", 16);
	expect_number(&s, "verity.hash_start", 2);
	expect_root(&s, "verity.root_hash");
	end(&s);
}

static void make_squashfs(uint8_t *at)
{
	memcpy(at, "hsqs", 4);
	put_le(at + 12, 4, 131072);
	put_le(at + 40, 8, 9000);
}

static void make_ext4(uint8_t *at)
{
	uint8_t *sb = at + 1024;

	put_le(sb + 4, 4, 4);
	put_le(sb + 0x18, 4, 2);
	put_le(sb + 0x38, 2, 0xef53);
	put_le(sb + 0x150, 4, 7); /* the high half, which nobody says is one */
}

static void make_xfs(uint8_t *at)
{
	memcpy(at, "XFSB", 4);
	at[4 + 2] = 4096 >> 8;
	at[8 + 7] = 4;
	at[102] = 4096 >> 8;
}

static void test_other_filesystems(void **state)
{
	static const struct {
		const char *type;
		void (*make)(uint8_t *at);
		uint64_t bytes;
	} rows[] = {
		{ "squashfs", make_squashfs, 9000 },
		{ "ext4", make_ext4, 16384 },
		{ "xfs", make_xfs, 16384 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char type[32];
		struct subject s;

		begin(&s, 16384);
		rows[i].make(s.bytes);
		seal(&s, 4096, 4096);
		s.options.wanted.verify = true;
		look(&s);
		expect_success(rows[i].type, s.r, &s.e);
		snprintf(type, sizeof(type), "%s+verity", rows[i].type);
		assert_string_equal(value(&s, "type"), type);
		expect_number(&s, "filesystem_bytes", rows[i].bytes);
		expect_root(&s, "verity.root_hash");
		/* The file system has more bytes than the file. */
		assert_int_equal(truncate(s.path, 8192), 0);
		look(&s);
		expect_failure(rows[i].type, s.r, &s.e, FAIL_VALUE_INVALID, "the file only 8192");
		end(&s);
	}
}

/* nydus: "blocks" is the sum of its tars, smaller or larger than where the last of them ends. */
static void test_nydus(void **state)
{
	static const struct device tars[] = { { 10, 20 }, { 6, 32 } };
	struct err e = { .text = "" };
	char text[512], root[2 * VERITY_DIGEST_MAX + 1];
	uint8_t none[VERITY_SUPERBLOCK_SIZE] = { 0 }, bytes[1024];
	struct volume v;
	struct subject s;
	int fd;

	(void)state;
	begin(&s, 40 * 512);
	make_erofs(s.bytes, 9, 16);
	add_devices(s.bytes, tars, 2);
	seal(&s, 512, 4096);
	/* Its tree has no superblock. */
	fd = open(s.path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, none, sizeof(none), (off_t)s.size), sizeof(none));
	close(fd);
	look(&s);
	expect_success("disk", s.r, &s.e);
	assert_string_equal(value(&s, "type"), "erofs");
	expect_number(&s, "filesystem_bytes", 38 * 512);
	expect_number(&s, "devices.1.start_bytes", 32 * 512);
	s.options.wanted.verify = true;
	look(&s);
	expect_failure("no numbers", s.r, &s.e, FAIL_VALUE_INVALID, "--verify=LAYER");

	hex_encode(s.p.root_hash, s.p.root_hash_size, root);
	snprintf(text, sizeof(text),
		 "SERIAL=x,root_hash=%s,data_blocks=40,data_block_size=512,hash_start=6", root);
	volume_init(&v, "layer", "layer");
	expect_success(text, volume_set_all(&v, text, NULL, &e), &e);
	expect_success(text, volume_finish(&v, &e), &e);
	s.options.wanted.given = &v.verity;
	look(&s);
	expect_success("by numbers", s.r, &s.e);
	assert_string_equal(value(&s, "verified"), "true");
	v.verity.data_blocks = 37;
	look(&s);
	expect_failure("too few blocks", s.r, &s.e, FAIL_VALUE_INVALID, "covers 18944 bytes");
	v.verity.data_blocks = 40;
	v.verity.root_hash[3] ^= 1;
	look(&s);
	expect_failure("other root", s.r, &s.e, FAIL_ROOT_HASH_MISMATCH, "top of the tree");

	/* The bootstrap alone. */
	s.options.wanted = (struct proof_wanted){ 0 };
	fd = open(s.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(io_pread(fd, bytes, sizeof(bytes), 1024), sizeof(bytes));
	close(fd);
	assert_int_equal(truncate(s.path, 4096), 0);
	look(&s);
	expect_success("bootstrap", s.r, &s.e);
	expect_number(&s, "filesystem_bytes", 4096);
	assert_string_equal(value(&s, "devices_within"), "false");
	assert_non_null(strstr(value(&s, "not_a_layer"), "2 more devices"));
	assert_string_equal(value(&s, "cmdline"), "-");
	end(&s);
}

/* What no guest could mount as a layer, though its tree is whole. */
static void test_not_a_layer(void **state)
{
	static const struct {
		unsigned int bits;
		uint32_t blocks, data_block_size;
		struct device device;
		const char *words;
	} rows[] = {
		{ 12, 4, 4096, { 5, 4 }, "needs 1 more device," },
		{ 9, 32, 4096, { 0, 0 }, "larger than the file system's of 512" },
		{ 12, 4, 4096, { 0, 0 }, NULL },
		{ 9, 32, 512, { 0, 0 }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct subject s;

		begin(&s, 16384);
		make_erofs(s.bytes, rows[i].bits, rows[i].blocks);
		if (rows[i].device.blocks)
			add_devices(s.bytes, &rows[i].device, 1);
		seal(&s, rows[i].data_block_size, rows[i].data_block_size);
		look(&s);
		expect_success("look", s.r, &s.e);
		expect_root(&s, "verity.root_hash");
		s.options.wanted.verify = true;
		look(&s);
		if (rows[i].words) {
			assert_string_equal(value(&s, "cmdline"), "-");
			expect_failure(rows[i].words, s.r, &s.e, FAIL_VALUE_INVALID, rows[i].words);
		} else {
			expect_success("a layer", s.r, &s.e);
			assert_string_equal(value(&s, "not_a_layer"), "-");
		}
		end(&s);
	}
}

static void test_hostile_tables(void **state)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		const char *words;
	} rows[] = {
		{ 1024 + 88, 2, 0xffff, "entry 1 of its device table" },
		{ 1024 + 86, 2, 0xffff, "of its device table" },
		{ 1024 + 36, 4, 0, "impossible fields" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct subject s;

		begin(&s, 16384);
		make_erofs(s.bytes, 12, 4);
		add_devices(s.bytes, &(struct device){ 1, 1 }, 1);
		put_le(s.bytes + rows[i].at, rows[i].size, rows[i].value);
		put_bytes(s.temp.fd, "file", s.bytes, s.size);
		look(&s);
		assert_true(s.r < 0);
		assert_non_null(strstr(s.e.text, rows[i].words));
		end(&s);
	}
}

/* --- disks ------------------------------------------------------------------------- */

#define PARTITION_AT   (1 << 20)
#define PARTITION_SIZE (1 << 18)
#define DISK_SIZE      (3 << 20)

/* A primary GPT alone, as Kata writes one. */
static void make_gpt(uint8_t *disk, size_t sector)
{
	uint8_t *header = disk + sector, *entry = disk + 2 * sector;

	disk[450] = 0xee;
	put_le(disk + 454, 4, 1);
	put_le(disk + 458, 4, DISK_SIZE / sector - 1);
	put_le(disk + 510, 2, 0xaa55);
	memset(entry, 0x11, 32);
	put_le(entry + 32, 8, PARTITION_AT / sector);
	put_le(entry + 40, 8, (PARTITION_AT + PARTITION_SIZE) / sector - 1);
	entry[56] = 'a';
	memcpy(header, "EFI PART", 8);
	put_le(header + 8, 4, 0x10000);
	put_le(header + 12, 4, 92);
	put_le(header + 24, 8, 1);
	put_le(header + 32, 8, DISK_SIZE / sector - 1);
	put_le(header + 40, 8, 34);
	put_le(header + 48, 8, DISK_SIZE / sector - 34);
	header[56] = 7;
	put_le(header + 72, 8, 2);
	put_le(header + 80, 4, 128);
	put_le(header + 84, 4, 128);
	put_le(header + 88, 4, crc32(0, entry, 128 * 128));
	put_le(header + 16, 4, crc32(0, header, 92));
}

static void make_gpt_512(uint8_t *disk)
{
	make_gpt(disk, 512);
}

static void make_gpt_4096(uint8_t *disk)
{
	make_gpt(disk, 4096);
}

static void make_mbr(uint8_t *disk)
{
	put_le(disk + 440, 4, 0x1234);
	disk[446 + 4] = 0x83;
	put_le(disk + 446 + 8, 4, PARTITION_AT / 512);
	put_le(disk + 446 + 12, 4, PARTITION_SIZE / 512);
	put_le(disk + 510, 2, 0xaa55);
}

/* An erofs with its tree, made in a file of its own, into the disk's partition. */
static void fill_partition(struct subject *disk)
{
	struct subject image;
	struct stat st;
	int fd;

	begin(&image, 16384);
	make_erofs(image.bytes, 12, 4);
	seal(&image, 4096, 4096);
	fd = open(image.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(io_pread(fd, disk->bytes + PARTITION_AT, (size_t)st.st_size, 0),
			 st.st_size);
	close(fd);
	disk->p = image.p;
	end(&image);
}

static void test_partitions(void **state)
{
	static const struct {
		const char *type, *partuuid;
		void (*make)(uint8_t *disk);
		unsigned int sector_size;
	} rows[] = {
		{ "GPT disk", "11111111-1111-1111-1111-111111111111", make_gpt_512, 512 },
		{ "GPT disk", "11111111-1111-1111-1111-111111111111", make_gpt_4096, 4096 },
		{ "MBR disk", "00001234-01", make_mbr, 512 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[128];
		struct subject s;

		begin(&s, DISK_SIZE);
		memset(s.bytes, 0, PARTITION_AT);
		rows[i].make(s.bytes);
		fill_partition(&s);
		put_bytes(s.temp.fd, "file", s.bytes, s.size);
		s.options.wanted.verify = true;
		look(&s);
		expect_success(rows[i].type, s.r, &s.e);
		assert_string_equal(value(&s, "type"), rows[i].type);
		expect_number(&s, "sector_size", rows[i].sector_size);
		expect_number(&s, "partitions.0.number", 1);
		expect_number(&s, "partitions.0.offset", PARTITION_AT);
		expect_number(&s, "partitions.0.size", PARTITION_SIZE);
		assert_string_equal(value(&s, "partitions.0.partuuid"), rows[i].partuuid);
		assert_string_equal(value(&s, "partitions.0.type"), "erofs+verity");
		assert_string_equal(value(&s, "partitions.0.verified"), "true");
		assert_string_equal(value(&s, "partitions.1"), "-");
		expect_root(&s, "partitions.0.verity.root_hash");
		snprintf(line, sizeof(line), "socle.layer=PARTUUID=%s,", rows[i].partuuid);
		assert_int_equal(strncmp(value(&s, "partitions.0.cmdline"), line, strlen(line)), 0);

		s.options.partition = 2;
		look(&s);
		expect_failure("partition 2", s.r, &s.e, FAIL_VALUE_INVALID, "no partition 2");
		s.options.partition = 0;
		s.options.wanted.root_hash = "00";
		look(&s);
		expect_failure("which", s.r, &s.e, FAIL_VALUE_INVALID, "choose one");
		/* A bad block of the partition is named with it. */
		s.options.wanted.root_hash = NULL;
		s.bytes[PARTITION_AT + 4096 + 9] ^= 1;
		put_bytes(s.temp.fd, "file", s.bytes, s.size);
		look(&s);
		expect_failure("corrupt", s.r, &s.e, FAIL_DATA_CORRUPT,
			       "partition 1: data block 1 ");
		end(&s);
	}
}

static void test_damaged_tables(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, DISK_SIZE);
	make_gpt(s.bytes, 512);
	s.bytes[512 + 72]++;
	put_bytes(s.temp.fd, "file", s.bytes, s.size);
	look(&s);
	expect_failure("header", s.r, &s.e, FAIL_VALUE_INVALID, "partition table is damaged");
	memset(s.bytes, 0, 4096);
	make_mbr(s.bytes);
	put_le(s.bytes + 446 + 12, 4, DISK_SIZE / 512);
	put_bytes(s.temp.fd, "file", s.bytes, s.size);
	look(&s);
	expect_failure("end", s.r, &s.e, FAIL_VALUE_INVALID, "beyond the end of the disk");
	end(&s);
}

/* --- the producers' own files ------------------------------------------------------ */

/* A row of the fixtures' MANIFEST.md: "D/H, N=…, hash_start=…, …, root HEX" opens the file. */
struct fixture {
	char file[256];
	unsigned int data_block_size, hash_block_size;
	unsigned long long data_blocks, hash_start;
	char root[2 * VERITY_DIGEST_MAX + 1];
	bool superblock, layer;
	bool type_0; /* which no guest takes from a superblock */
};

static bool read_row(const char *folder, const char *line, struct fixture *f)
{
	const char *root = strstr(line, ", root "), *numbers = NULL;
	char name[64];

	if (!root || sscanf(line, "| %63[^ ] |", name) != 1 || !strstr(name, ".xz"))
		return false;
	for (const char *at = line; (at = strstr(at, " | ")) && at < root; at++)
		numbers = at + 3;
	if (!numbers ||
	    sscanf(numbers, "%u/%u, N=%llu, hash_start=%llu", &f->data_block_size,
		   &f->hash_block_size, &f->data_blocks, &f->hash_start) != 4 ||
	    sscanf(root, ", root %128[0-9a-f]", f->root) != 1)
		return false;
	snprintf(f->file, sizeof(f->file), "%s%s", folder, name);
	f->superblock = !strstr(line, "no superblock");
	f->type_0 = strstr(root, " format 0 ");
	f->layer = !strstr(line, "never mount") && !strstr(name, "blobdev");
	return true;
}

static void expect_fixture(const char *fixtures, const struct fixture *f)
{
	char command[1024], text[512];
	struct err e = { .text = "" };
	struct volume v;
	struct subject s;

	begin(&s, 0);
	snprintf(command, sizeof(command), "xz -dc '%s/%s' >'%s'", fixtures, f->file, s.path);
	assert_int_equal(system(command), 0);
	s.options.wanted.verify = true;
	if (!f->superblock) {
		snprintf(text, sizeof(text),
			 "SERIAL=x,root_hash=%s,data_blocks=%llu,hash_start=%llu,"
			 "data_block_size=%u,hash_block_size=%u",
			 f->root, f->data_blocks, f->hash_start, f->data_block_size,
			 f->hash_block_size);
		volume_init(&v, "layer", "layer");
		expect_success(text, volume_set_all(&v, text, NULL, &e), &e);
		expect_success(text, volume_finish(&v, &e), &e);
		s.options.wanted.given = &v.verity;
	}
	look(&s);
	if (f->type_0) {
		expect_failure(f->file, s.r, &s.e, FAIL_VERITY_PARAMS_INVALID, "hash type 0");
		end(&s);
		return;
	}
	if (f->layer)
		expect_success(f->file, s.r, &s.e);
	else
		expect_failure(f->file, s.r, &s.e, FAIL_VALUE_INVALID, value(&s, "not_a_layer"));
	assert_string_equal(value(&s, "verified"), f->layer ? "true" : "-");
	assert_string_equal(value(&s, "verity.root_hash"), f->root);
	expect_number(&s, "verity.data_blocks", f->data_blocks);
	expect_number(&s, "verity.hash_start", f->hash_start);
	expect_number(&s, "verity.data_block_size", f->data_block_size);
	expect_number(&s, "verity.hash_block_size", f->hash_block_size);
	end(&s);
}

static void test_fixtures(void **state)
{
	const char *fixtures = getenv("SOCLE_FIXTURES");
	char path[512], folder[128] = "", *line = NULL;
	size_t room = 0, seen = 0;
	FILE *manifest;

	(void)state;
	fixtures = fixtures ? fixtures : "../shared/fixtures";
	snprintf(path, sizeof(path), "%s/MANIFEST.md", fixtures);
	manifest = fopen(path, "re");
	if (!manifest)
		skip();
	while (getline(&line, &room, manifest) > 0) {
		struct fixture f;

		sscanf(line, "### %127s", folder);
		if (!read_row(folder, line, &f))
			continue;
		expect_fixture(fixtures, &f);
		seen++;
	}
	fclose(manifest);
	free(line);
	assert_true(seen >= 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tar_index),         cmocka_unit_test(test_large_hash_blocks),
		cmocka_unit_test(test_other_filesystems), cmocka_unit_test(test_nydus),
		cmocka_unit_test(test_not_a_layer),       cmocka_unit_test(test_hostile_tables),
		cmocka_unit_test(test_partitions),        cmocka_unit_test(test_damaged_tables),
		cmocka_unit_test(test_fixtures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
