// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image-build/base/output.h"

static void *must(void *pointer)
{
	static const char text[] = "socle-image: out of memory\n";

	if (pointer)
		return pointer;
	output_discard_all();
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(1);
}

void *memory_zero(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *memory_copy(const void *from, size_t size)
{
	void *copy = must(malloc(size ? size : 1));

	if (size)
		memcpy(copy, from, size);
	return copy;
}

char *memory_text(const char *text)
{
	return memory_copy(text, strlen(text) + 1);
}

char *memory_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	return must(length < 0 ? NULL : text);
}

void *memory_resize(void *array, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count ? count : 1, size, &bytes))
		return must(NULL);
	return must(realloc(array, bytes));
}

void *memory_grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 16;
	return memory_resize(array, *room, size);
}

void *memory_pages(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return must(pages == MAP_FAILED ? NULL : pages);
}

void memory_pages_free(void *pages, size_t size)
{
	munmap(pages, size);
}

void buffer_reserve(struct buffer *b, size_t more)
{
	size_t needed;

	if (__builtin_add_overflow(b->size, more, &needed) || needed > SIZE_MAX / 2)
		must(NULL);
	if (needed < b->room)
		return;
	b->room = 2 * needed + 1;
	b->bytes = must(realloc(b->bytes, b->room));
	b->bytes[b->size] = '\0';
}

void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
	buffer_reserve(b, size);
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	b->bytes[b->size] = '\0';
}
