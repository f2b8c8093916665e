// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/hex.h"
#include "lib/text.h"

#define FIXED_WORDS 10
#define OPTIONS_MAX 64

/* Behind the first n words of a line, blanks included; NULL if it has fewer. */
static const char *skip_words(const char *line, unsigned int n)
{
	for (; n; n--) {
		line += strspn(line, " ");
		if (!*line)
			return NULL;
		line += strcspn(line, " ");
	}
	return line;
}

/* The optional words of a line and their number: none, or "count word …". */
static int read_options(const char *rest, uint64_t *ret_count, const char **ret_words)
{
	size_t length;

	rest += strspn(rest, " ");
	length = strcspn(rest, " ");
	*ret_count = 0;
	*ret_words = "";
	if (!length)
		return 0;
	if (parse_u64_part(rest, length, OPTIONS_MAX, ret_count))
		return -EINVAL;
	*ret_words = rest + length + strspn(rest + length, " ");
	rest = skip_words(*ret_words, (unsigned int)*ret_count);
	return rest && !rest[strspn(rest, " ")] ? 0 : -EINVAL;
}

/* Words about what a bad block or an I/O error does. */
static bool is_policy(const char *word)
{
	return text_behind(word, "panic_on_") || text_behind(word, "restart_on_");
}

/* Copy options but those about the policy; *count becomes how many were copied. */
static void copy_options(const char *words, uint64_t *count, char *out)
{
	*count = 0;
	*out = '\0';
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		if (!is_policy(words)) {
			memcpy(out, words, length);
			out[length] = ' ';
			out[length + 1] = '\0';
			out += length + 1;
			++*count;
		}
		words += length;
	}
}

int verity_table_set_policy(const char *line, unsigned int count, const char *words, char *out,
			    size_t size)
{
	const char *rest = skip_words(line, FIXED_WORDS), *old_words;
	char kept[VERITY_TABLE_SIZE + 2];
	uint64_t old_count;
	int n;

	if (!rest || read_options(rest, &old_count, &old_words))
		return -EINVAL;
	if (strlen(old_words) >= VERITY_TABLE_SIZE)
		return -E2BIG;
	copy_options(old_words, &old_count, kept);
	if (!old_count && !count)
		n = snprintf(out, size, "%.*s", (int)(rest - line), line);
	else
		n = snprintf(out, size, "%.*s %u %s%s", (int)(rest - line), line,
			     (unsigned int)old_count + count, kept, words);
	if (n <= 0 || (size_t)n >= size)
		return -E2BIG;
	if (out[n - 1] == ' ')
		out[n - 1] = '\0';
	return 0;
}

int verity_table_drop_option(const char *line, const char *option, char *out, size_t size)
{
	const char *rest = skip_words(line, FIXED_WORDS), *words;
	char kept[VERITY_TABLE_SIZE] = "";
	size_t used = 0;
	uint64_t count, left;
	int n;

	if (!rest || read_options(rest, &count, &words))
		return -EINVAL;
	if (strlen(words) >= sizeof(kept) - 1)
		return -E2BIG;
	for (left = count; *(words += strspn(words, " "));) {
		size_t length = strcspn(words, " ");

		if (strlen(option) == length && !strncmp(words, option, length)) {
			words += length + strspn(words + length, " ");
			words += strcspn(words, " ");
			left -= left < 2 ? left : 2;
			continue;
		}
		used += (size_t)snprintf(kept + used, sizeof(kept) - used, " %.*s", (int)length,
					 words);
		words += length;
	}
	n = left ? snprintf(out, size, "%.*s %u%s", (int)(rest - line), line, (unsigned int)left,
			    kept) :
		   snprintf(out, size, "%.*s", (int)(rest - line), line);
	return n > 0 && (size_t)n < size ? 0 : -E2BIG;
}

int verity_table_get_option(const char *line, const char *option, char *out, size_t size)
{
	const char *rest = skip_words(line, FIXED_WORDS), *words;
	uint64_t count;

	if (!rest || read_options(rest, &count, &words))
		return -EINVAL;
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");
		bool found = strlen(option) == length && !strncmp(words, option, length);

		words += length;
		if (!found)
			continue;
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (!length || length >= size)
			return length ? -E2BIG : -EINVAL;
		memcpy(out, words, length);
		out[length] = '\0';
		return 1;
	}
	return 0;
}

/* Words that change what a bad block does, or speed, but never whether it is bad. */
static const char *const harmless_words[] = {
	"panic_on_corruption",
	"restart_on_corruption",
	"panic_on_error",
	"restart_on_error",
	"ignore_zero_blocks",
	"try_verify_in_tasklet",
	NULL,
};

static bool all_harmless(const char *words)
{
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		if (text_find(harmless_words, words, length) < 0)
			return false;
		words += length;
	}
	return true;
}

/* The ten fixed words as the kernel prints them. */
static int print_fixed(const struct verity_params *p, const struct verity_parts *parts, char *out,
		       size_t size)
{
	char salt[2 * VERITY_SALT_MAX + 1] = "-", root_hash[2 * VERITY_DIGEST_MAX + 1];
	int n;

	if (p->salt_size)
		hex_encode(p->salt, p->salt_size, salt);
	hex_encode(p->root_hash, p->root_hash_size, root_hash);
	n = snprintf(out, size, "%u %u:%u %u:%u %u %u %llu %llu %s %s %s", p->hash_type,
		     major(parts->data), minor(parts->data), major(parts->hash), minor(parts->hash),
		     p->data_block_size, p->hash_block_size, (unsigned long long)p->data_blocks,
		     (unsigned long long)p->hash_start_block, p->hash_name, root_hash, salt);
	return n > 0 && (size_t)n < size ? n : -E2BIG;
}

/* How many blocks the parity was made of. */
static int fec_blocks(const struct verity_params *p, const struct verity_parts *parts,
		      uint64_t *ret)
{
	uint64_t end = parts->fec == parts->hash ? p->fec_start_bytes : parts->hash_bytes;
	struct verity_geometry g;

	if (verity_geometry(p, &g, NULL) || end < g.hash_end_bytes)
		return -EINVAL;
	*ret = p->data_blocks + end / p->hash_block_size - p->hash_start_block;
	return 0;
}

static int print_fec(const struct verity_params *p, const struct verity_parts *parts, char *out,
		     size_t size)
{
	uint64_t blocks;
	int r = fec_blocks(p, parts, &blocks);

	if (!r)
		snprintf(out, size,
			 " use_fec_from_device %u:%u fec_start %llu fec_blocks %llu fec_roots %u",
			 major(parts->fec), minor(parts->fec),
			 (unsigned long long)(p->fec_start_bytes / p->hash_block_size),
			 (unsigned long long)blocks, p->fec_roots);
	return r;
}

int verity_table_print(const struct verity_params *p, const struct verity_parts *parts,
		       const char *key_name, char *out, size_t size)
{
	unsigned int count =
		(p->ignore_zero_blocks ? 1U : 0U) + (parts->fec ? 8U : 0U) + (key_name ? 2U : 0U);
	char fec[160] = "";
	int r = parts->fec ? print_fec(p, parts, fec, sizeof(fec)) : 0;
	int n = r ? r : print_fixed(p, parts, out, size);

	if (n < 0 || !count)
		return n < 0 ? n : 0;
	out += n;
	size -= (size_t)n;
	n = snprintf(out, size, " %u%s%s%s%s", count,
		     p->ignore_zero_blocks ? " ignore_zero_blocks" : "", fec,
		     key_name ? " root_hash_sig_key_desc " : "", key_name ? key_name : "");
	return n > 0 && (size_t)n < size ? 0 : -E2BIG;
}

int verity_table_matches(const char *line, const struct verity_params *p,
			 const struct verity_parts *parts)
{
	const char *rest = skip_words(line, FIXED_WORDS), *words;
	char fixed[VERITY_TABLE_SIZE];
	uint64_t count;

	if (!rest || read_options(rest, &count, &words) ||
	    print_fixed(p, parts, fixed, sizeof(fixed)) < 0)
		return 0;
	return strlen(fixed) == (size_t)(rest - line) && !strncmp(line, fixed, strlen(fixed)) &&
	       all_harmless(words);
}
