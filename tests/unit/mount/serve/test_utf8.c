// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is UTF-8: the borders of each length, and what only looks like it. */
#include "mount/serve/utf8.h"

#include <string.h>

#include "tests/unit/unit.h"

static const struct {
	const char *text;
	bool valid;
} rows[] = {
	{ "", true },
	{ "plain", true },
	{ "\x7f", true },
	{ "\xc2\x80\xdf\xbf", true },         /* U+0080 and U+07FF */
	{ "\xe0\xa0\x80\xef\xbf\xbf", true }, /* U+0800 and U+FFFF */
	{ "\xed\x9f\xbf\xee\x80\x80", true }, /* around the surrogates */
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", true },
	{ "\x80", false }, /* a continuation alone */
	{ "\xbf", false },
	{ "\xc3", false }, /* cut */
	{ "\xe2\x82", false },
	{ "\xf0\x90\x80", false },
	{ "\xc0\x80", false }, /* longer than need be */
	{ "\xc1\xbf", false },
	{ "\xe0\x9f\xbf", false },
	{ "\xf0\x8f\xbf\xbf", false },
	{ "\xed\xa0\x80", false }, /* a surrogate */
	{ "\xed\xbf\xbf", false },
	{ "\xf4\x90\x80\x80", false }, /* above U+10FFFF */
	{ "\xf8\x88\x80\x80\x80", false },
	{ "\xff", false },
	{ "\xc3\xc3", false }, /* no continuation */
	{ "\xe2\x28\xa1", false },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (utf8_is_valid(rows[i].text, strlen(rows[i].text)) != rows[i].valid)
			fail_msg("row %zu", i);
}

static void test_each_character(void **state)
{
	char bytes[4];

	(void)state;
	for (uint32_t c = 0; c < 0x111000; c++) {
		size_t size = utf8_encode(c, bytes);
		bool is_one = c < 0x110000 && (c < 0xd800 || c > 0xdfff);

		if ((size > 0) != is_one || !utf8_is_valid(bytes, size))
			fail_msg("U+%04X", c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_each_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
