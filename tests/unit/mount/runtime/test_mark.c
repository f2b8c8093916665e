// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Each thing that a request can say of a stack is in one of its marks. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "mount/open.h"
#include "mount/runtime/mark.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char folder[] = "/tmp/socle-test.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
	static char path[4][256];
	static unsigned int next;

	next = (next + 1) % ARRAY_SIZE(path);
	snprintf(path[next], sizeof(path[0]), "%s/%s", folder, name);
	return path[next];
}

/* --- a volume -------------------------------------------------------------------------- */

static struct volume volume;
static uint8_t signatures[64];
static struct device_wish wishes[VOLUME_DEVICES_MAX];
static enum verity_corruption on_corruption;

/* The second of two names for one disk, or the first. */
static void make_volume(bool by_number)
{
	struct devref *const refs[VOLUME_DEVICES_MAX] = { &volume.data, &volume.hash, &volume.fec };
	struct err e = { 0 };

	memset(wishes, 0, sizeof(wishes));
	memset(signatures, 0x30, sizeof(signatures));
	volume_init(&volume, "volume-3", "socle.x.3");
	for (size_t i = 0; i < VOLUME_DEVICES_MAX; i++) {
		assert_int_equal(devref_parse(by_number ? "254:16" : "SERIAL=x", refs[i], &e), 0);
		wishes[i].ref = refs[i];
		wishes[i].found.major = 254;
		wishes[i].found.minor = 16 * (unsigned int)i;
	}
	strcpy(volume.fstype, "erofs");
	volume.verity.data_blocks = 8;
	volume.verity.root_hash_size = 32;
	volume.verity.fec_roots = 2;
	volume.signature.at = 5;
	volume.signature.size = 9;
	on_corruption = VERITY_ON_CORRUPTION_PANIC;
}

static const char *mark_it(void)
{
	static char mark[MARK_SIZE];

	mark_volume(&volume, signatures, wishes, on_corruption, mark);
	return mark;
}

/* The one of this number; false: there are no more. */
#define CHANGE(what)                                                                               \
	if (!number--) {                                                                           \
		what;                                                                              \
		return true;                                                                       \
	}

static bool change(unsigned int number)
{
	struct verity_params *p = &volume.verity;

	CHANGE(volume.proof = VOLUME_RAW)
	CHANGE(volume.proof = VOLUME_SUPERBLOCK)
	CHANGE(p->root_hash[31] ^= 1)
	CHANGE(p->root_hash_size = 31)
	CHANGE(p->hash_type = 0)
	CHANGE(strcpy(p->hash_name, "sha512"))
	CHANGE(p->data_block_size = 512)
	CHANGE(p->hash_block_size = 512)
	CHANGE(p->data_blocks++)
	CHANGE(p->hash_start_block++)
	CHANGE(p->salt_size = 1)
	CHANGE(p->ignore_zero_blocks = true)
	CHANGE(p->fec_roots++)
	CHANGE(p->fec_start_bytes = 4096)
	CHANGE(volume.signature.size--)
	CHANGE(signatures[6] ^= 1)
	CHANGE(strcpy(volume.fstype, "ext4"))
	CHANGE(strcpy(volume.options, "noacl"))
	CHANGE(volume.devices = 1)
	CHANGE(volume.refuse_whiteouts = true)
	CHANGE(wishes[0].found.minor++)
	CHANGE(wishes[1].found.major++)
	CHANGE(wishes[2].found.minor++)
	CHANGE(volume.hash.kind = DEVREF_NONE)
	CHANGE(on_corruption = VERITY_ON_CORRUPTION_EIO)
	CHANGE(on_corruption = VERITY_ON_CORRUPTION_RESTART)
	CHANGE(strcpy(volume.name, "volume-4"))
	return false;
}

#define CHANGES_MAX 40

static void test_volume(void **state)
{
	static char marks[CHANGES_MAX][MARK_SIZE];
	unsigned int count = 0;
	bool changed = true;

	(void)state;
	for (; changed; count++) {
		make_volume(false);
		changed = change(count);
		assert_true(count < CHANGES_MAX);
		strcpy(marks[count], mark_it());
		assert_int_equal(strspn(marks[count], "0123456789abcdef"), MARK_SIZE - 1);
		for (unsigned int i = 0; i < count; i++)
			if (!strcmp(marks[i], marks[count]))
				fail_msg("changes %u and %u are told as one", i, count);
	}
	/* The same disk by another name is no other request. */
	make_volume(true);
	assert_string_equal(mark_it(), marks[count - 1]);
}

static void test_superblock(void **state)
{
	char plain[MARK_SIZE], offset[MARK_SIZE], follows[MARK_SIZE], salt[MARK_SIZE];

	(void)state;
	make_volume(false);
	volume.proof = VOLUME_SUPERBLOCK;
	strcpy(plain, mark_it());
	volume.superblock_offset_bytes = 4096;
	strcpy(offset, mark_it());
	volume.tree_follows_data = true;
	strcpy(follows, mark_it());
	volume.salt_given = true;
	strcpy(salt, mark_it());
	volume.trailer = true;
	assert_string_not_equal(plain, offset);
	assert_string_not_equal(offset, follows);
	assert_string_not_equal(follows, salt);
	assert_string_not_equal(salt, mark_it());
}

/* A file counts as what it is now: replaced, or by a link, but not by its name. */
static void test_file(void **state)
{
	char first[MARK_SIZE], text[300];
	struct err e = { 0 };

	(void)state;
	make_volume(false);
	put_text(AT_FDCWD, in_folder("file"), "bytes");
	put_text(AT_FDCWD, in_folder("other"), "bytes");
	assert_int_equal(symlink("file", in_folder("link")), 0);
	snprintf(text, sizeof(text), "FILE=%s", in_folder("file"));
	assert_int_equal(devref_parse(text, &volume.data, &e), 0);
	strcpy(first, mark_it());
	assert_string_equal(mark_it(), first);
	snprintf(text, sizeof(text), "FILE=%s", in_folder("link"));
	assert_int_equal(devref_parse(text, &volume.data, &e), 0);
	assert_string_equal(mark_it(), first);
	assert_int_equal(rename(in_folder("other"), in_folder("file")), 0);
	assert_string_not_equal(mark_it(), first);
	assert_int_equal(unlink(in_folder("file")), 0);
	assert_int_equal(unlink(in_folder("link")), 0);
	assert_string_not_equal(mark_it(), first);
}

/* --- what is around volumes ------------------------------------------------------------ */

static const char *mark_upper(const char *upper, const char *first, const char *second)
{
	static struct stack s;
	static char mark[MARK_SIZE];
	const struct device_wish disk = { .ref = &s.upper.disk, .found = { .minor = 7 } };
	struct err e = { 0 };

	stack_init(&s);
	expect_success(upper, upper_parse(upper, &s.upper, &e), &e);
	if (first)
		s.directory[s.directories++] = first;
	if (second)
		s.directory[s.directories++] = second;
	mark_overlay(&s, &disk, mark);
	return mark;
}

static void test_overlay(void **state)
{
	char dir[300], marks[16][MARK_SIZE], a[256], b[256];
	size_t count = 0;

	(void)state;
	strcpy(a, in_folder("a"));
	strcpy(b, in_folder("b"));
	put_dir(AT_FDCWD, a);
	put_dir(AT_FDCWD, b);
	snprintf(dir, sizeof(dir), "dir:%s", a);
	strcpy(marks[count++], mark_upper("none", NULL, NULL));
	strcpy(marks[count++], mark_upper("tmpfs", NULL, NULL));
	strcpy(marks[count++], mark_upper("tmpfs,size=1m", NULL, NULL));
	strcpy(marks[count++], mark_upper("tmpfs,size=1g", NULL, NULL));
	strcpy(marks[count++], mark_upper(dir, NULL, NULL));
	strcpy(marks[count++], mark_upper("disk:SERIAL=x", NULL, NULL));
	strcpy(marks[count++], mark_upper("disk:SERIAL=x,encrypted", NULL, NULL));
	strcpy(marks[count++], mark_upper("disk:SERIAL=x,encrypted,integrity", NULL, NULL));
	strcpy(marks[count++], mark_upper("none", a, NULL));
	strcpy(marks[count++], mark_upper("none", b, NULL));
	strcpy(marks[count++], mark_upper("none", a, b));
	strcpy(marks[count++], mark_upper("none", b, a));
	strcpy(marks[count++], mark_upper("tmpfs", a, b));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(marks[i], marks[j]))
				fail_msg("uppers %zu and %zu are told as one", i, j);
	assert_string_equal(mark_upper("disk:/dev/vdh,encrypted", NULL, NULL), marks[6]);
	assert_string_equal(mark_upper("none", a, b), marks[10]);
	assert_int_equal(symlink("a", in_folder("link")), 0);
	snprintf(dir, sizeof(dir), "dir:%s", in_folder("link"));
	assert_string_equal(mark_upper(dir, NULL, NULL), marks[4]);
	assert_int_equal(unlink(in_folder("link")), 0);
	/* Unpacked anew in the same place it is another one. */
	assert_int_equal(rename(b, in_folder("c")), 0);
	put_dir(AT_FDCWD, b);
	assert_string_not_equal(mark_upper("none", a, b), marks[10]);
	assert_int_equal(rmdir(in_folder("c")), 0);
	assert_int_equal(rmdir(a), 0);
	assert_int_equal(rmdir(b), 0);
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_volume),
		cmocka_unit_test(test_superblock),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_overlay),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
