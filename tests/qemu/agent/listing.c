// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "lib/sha256.h"
#include "tests/qemu/agent/json.h"

#define PATH_SIZE  4096
#define FILE_MAX   (8UL << 20)
#define XATTRS_MAX 64
#define DEPTH_MAX  32

static void put_escaped(FILE *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		fprintf(out, c < 0x21 || c > 0x7e || c == '\\' ? "\\x%02x" : "%c", c);
	}
}

static void put_sha256(FILE *out, const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	static char data[FILE_MAX];
	uint8_t digest[SHA256_SIZE];
	char text[2 * SHA256_SIZE + 1];
	ssize_t size = fd < 0 ? -errno : io_read(fd, data, sizeof(data));

	if (size < 0) {
		fputs(strerror((int)-size), out);
	} else {
		sha256(data, (size_t)size, digest);
		hex_encode(digest, sizeof(digest), text);
		fputs(text, out);
	}
}

static void put_target(FILE *out, const char *path)
{
	char target[PATH_SIZE];
	ssize_t size = readlink(path, target, sizeof(target));

	if (size < 0)
		fputs(strerror(errno), out);
	else
		put_escaped(out, target, (size_t)size);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_xattrs(FILE *out, const char *path)
{
	static char names[65536], text[2 * 65536 + 1];
	static uint8_t value[65536];
	ssize_t size = llistxattr(path, names, sizeof(names));
	char *sorted[XATTRS_MAX];
	size_t count = 0;

	for (ssize_t at = 0; at < size && count < XATTRS_MAX; at += (ssize_t)strlen(names + at) + 1)
		sorted[count++] = names + at;
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count; i++) {
		ssize_t bytes = lgetxattr(path, sorted[i], value, sizeof(value));

		hex_encode(value, bytes < 0 ? 0 : (size_t)bytes, text);
		fprintf(out, "%s%s=%s", i ? "," : "", sorted[i],
			bytes < 0 ? strerror(errno) : text);
	}
	if (count == 0)
		fputs(size < 0 ? strerror(errno) : "-", out);
}

/* shown is the path below the root of the tree, path the whole one. */
static void put_entry(const char *path, const char *shown, const struct stat *st)
{
	bool file = S_ISREG(st->st_mode), link = S_ISLNK(st->st_mode);
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);

	put_escaped(out, shown, strlen(shown));
	fprintf(out, "\t%06o\t%u\t%u\t%lld\t%u:%u\t%lu\t%lld\t", st->st_mode, st->st_uid,
		st->st_gid, file || link ? (long long)st->st_size : 0, major(st->st_rdev),
		minor(st->st_rdev), S_ISDIR(st->st_mode) ? 0 : (unsigned long)st->st_nlink,
		(long long)st->st_mtime);
	if (file)
		put_sha256(out, path);
	else if (link)
		put_target(out, path);
	else
		fputc('-', out);
	fputc('\t', out);
	put_xattrs(out, path);
	fclose(out);
	json_string(line, size);
	free(line);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk(char *path, size_t root, int depth)
{
	struct dirent **entries = NULL;
	size_t length = strlen(path);
	int count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, by_bytes) : 0;
	struct stat st;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    length + strlen(name) + 2 <= PATH_SIZE) {
			path[length] = '/';
			strcpy(path + length + 1, name);
			fputc(',', json_out);
			if (lstat(path, &st) == 0)
				put_entry(path, path + root, &st);
			else
				json_string(strerror(errno), strlen(strerror(errno)));
			if (S_ISDIR(st.st_mode))
				walk(path, root, depth + 1);
			path[length] = '\0';
		}
		free(entries[i]);
	}
	free(entries);
}

void list_tree(const char *root)
{
	static char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "%s", root);
	json_begin("tree");
	json_key("lines");
	fputc('[', json_out);
	if (lstat(path, &st) == 0) {
		put_entry(path, "/", &st);
		walk(path, strlen(path), 0);
	}
	fputc(']', json_out);
	json_end();
}
