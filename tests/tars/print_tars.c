// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * What image-build/tree/tar_read.h makes of tars, to hold against another reader.
 * Standard input: for each tar a line with its size in bytes, then the tar.
 * Standard output: for each a line of its entries, one word each (see print_entry()),
 * and a last word, "." for a tar read to its end or "!" and why it was refused.
 * Every byte that is not printable, or ' ', '%', ',', '=' or ';' is written as %XX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "image-build/tree/tar_read.h"

#define CRC_BYTES (1 << 20) /* what of a file's beginning is summed */

static void print_bytes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte <= ' ' || byte > '~' || strchr("%,=;", byte))
			printf("%%%02X", byte);
		else
			putchar(byte);
	}
}

static unsigned long crc_zeroes(unsigned long crc, uint64_t size)
{
	static const unsigned char zeroes[4096];

	for (; size; size -= size < sizeof(zeroes) ? size : sizeof(zeroes))
		crc = crc32(crc, zeroes, (uInt)(size < sizeof(zeroes) ? size : sizeof(zeroes)));
	return crc;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The sum of a file's beginning, holes included. */
static int sum_file(struct tar_reader *t, uint64_t file_size, unsigned long *ret, struct err *e)
{
	uint64_t size = at_most(file_size, CRC_BYTES), at = 0, offset;
	unsigned long crc = crc32(0, NULL, 0);
	const void *bytes;
	size_t n;
	int r;

	while ((r = tar_data(t, &bytes, &n, &offset, e)) == 1) {
		if (offset > at)
			crc = crc_zeroes(crc, at_most(offset, size) - at_most(at, size));
		if (offset < size)
			crc = crc32(crc, bytes, (uInt)at_most(n, size - offset));
		at = offset + n;
	}
	*ret = crc_zeroes(crc, size - at_most(at, size));
	return r;
}

static void print_xattrs(const struct pax *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct pax_record *r = &p->records[i];

		if (strncmp(r->key, "SCHILY.xattr.", strlen("SCHILY.xattr.")))
			continue;
		print_bytes(r->key, strlen(r->key));
		putchar('=');
		print_bytes(r->value, r->size);
		putchar(';');
	}
}

/* type,name,link,mode,uid,gid,seconds.nanoseconds,major,minor,size,crc,xattrs */
static int print_entry(struct tar_reader *t, const struct tar_entry *entry, struct err *e)
{
	uint64_t size = entry->type == '0' ? entry->size : 0;
	unsigned long crc = 0;
	int r = sum_file(t, size, &crc, e);

	if (r)
		return r;
	if (entry->type < '0' || entry->type > '6') {
		print_bytes(&entry->type, 1);
		putchar(' ');
		return 0;
	}
	putchar(entry->type);
	putchar(',');
	print_bytes(entry->name, strlen(entry->name));
	putchar(',');
	if (entry->type == '1' || entry->type == '2')
		print_bytes(entry->link, strlen(entry->link));
	printf(",%llo,%lld,%lld,%lld.%09u", (unsigned long long)(entry->mode & 07777),
	       (long long)entry->uid, (long long)entry->gid, (long long)entry->mtime_sec,
	       entry->mtime_nsec);
	if (entry->type == '3' || entry->type == '4')
		printf(",%lld,%lld", (long long)entry->device_major,
		       (long long)entry->device_minor);
	else
		printf(",,");
	printf(",%llu,%08lx,", (unsigned long long)size, crc);
	print_xattrs(entry->pax);
	putchar(' ');
	return 0;
}

static void print_tar(int fd)
{
	struct err e = { .text = "" };
	struct tar_entry entry;
	struct tar_reader t;
	struct blob b;
	int r = blob_open(&b, fd, COMPRESSION_NONE, "sha256", "sha256", NULL, &e);

	tar_open(&t, &b);
	while (!r && (r = tar_next(&t, &entry, &e)) == 1) {
		r = print_entry(&t, &entry, &e);
		if (r)
			break;
	}
	putchar(r ? '!' : '.');
	print_bytes(e.text, r ? strlen(e.text) : 0);
	putchar('\n');
	tar_close(&t);
	blob_close(&b);
}

int main(void)
{
	int fd = memfd_create("tar", MFD_CLOEXEC);
	unsigned long size;
	int c;

	while (scanf("%lu", &size) == 1 && (c = getchar()) == '\n') {
		char *bytes = malloc(size + 1);

		if (!bytes || fread(bytes, 1, size, stdin) != size || ftruncate(fd, 0) ||
		    pwrite(fd, bytes, size, 0) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
			return 1;
		free(bytes);
		print_tar(fd);
		fflush(stdout);
	}
	return 0;
}
