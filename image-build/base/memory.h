/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_MEMORY_H
#define IMAGE_BUILD_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Allocation for the host program: these never return NULL. Out of memory ends
 * the program with status 1 after it has removed its temporary files.
 */
void *memory_zero(size_t count, size_t size);
void *memory_copy(const void *from, size_t size);
char *memory_text(const char *text);
char *memory_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* An array of so many elements, with what it had before; one of none must be freed, too. */
void *memory_resize(void *array, size_t count, size_t size);

/* Make room for one more element; *room is how many fit, grown by doubling. */
void *memory_grow(void *array, size_t count, size_t *room, size_t size);

/* Zeroed pages of their own: once freed they are the system's again at once. */
void *memory_pages(size_t size);
void memory_pages_free(void *pages, size_t size);

/* Bytes that grow at their end, always with a NUL behind them. Zero it, and free bytes. */
struct buffer {
	uint8_t *bytes;
	size_t size, room;
};

/* Make room for so many more bytes. */
void buffer_reserve(struct buffer *b, size_t more);
void buffer_add(struct buffer *b, const void *bytes, size_t size);

static inline void cleanup_text(char **text)
{
	free(*text);
}

/* Frees allocated text when its variable goes out of scope. */
#define auto_text __attribute__((cleanup(cleanup_text)))

static inline void cleanup_buffer(struct buffer *b)
{
	free(b->bytes);
}

#define auto_buffer __attribute__((cleanup(cleanup_buffer)))

#endif
