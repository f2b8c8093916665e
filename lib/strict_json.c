// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/strict_json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/array.h"
#include "lib/text.h"

/* What may come next. */
enum want {
	WANT_VALUE,
	WANT_VALUE_OR_END, /* behind [ */
	WANT_NAME,
	WANT_NAME_OR_END, /* behind { */
	WANT_COMMA_OR_END,
	WANT_NOTHING,
};

/* The text's closing NUL, which is no part of JSON, ends whatever looks ahead. */
struct scan {
	const char *at;
	const char *wrong;
	uint64_t objects; /* a bit for each that is open, the innermost lowest: is it an object? */
	unsigned int depth, depth_max;
	size_t members;
};

static bool fail(struct scan *s, const char *why)
{
	s->wrong = why;
	return false;
}

static unsigned int byte(const struct scan *s, size_t ahead)
{
	return (unsigned char)s->at[ahead];
}

/* --- strings ----------------------------------------------------------------- */

/* RFC 3629, section 4: no detours, no surrogates, nothing above U+10FFFF. */
static const struct {
	uint8_t first_min, first_max, second_min, second_max, size;
} utf8_forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static bool take_utf8(struct scan *s)
{
	size_t form = 0, size = 1;

	while (form < ARRAY_SIZE(utf8_forms) && byte(s, 0) > utf8_forms[form].first_max)
		form++;
	if (form == ARRAY_SIZE(utf8_forms) || byte(s, 0) < utf8_forms[form].first_min ||
	    byte(s, 1) < utf8_forms[form].second_min || byte(s, 1) > utf8_forms[form].second_max)
		return fail(s, "a string is not UTF-8");
	while (++size < utf8_forms[form].size)
		if ((byte(s, size) & 0xc0) != 0x80)
			return fail(s, "a string is not UTF-8");
	s->at += size;
	return true;
}

/* The four digits behind \u; -1 where they are not there. */
static int hex4(const char *digits)
{
	int value = 0;

	for (size_t i = 0; i < 4; i++) {
		char c = (char)(digits[i] | 0x20);
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
						   -1;

		/* '0' to '9' have the bit that makes letters small; so do some that are no digits.
		 */
		if (digit < 0 || (digit < 10 && digits[i] != c))
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

static bool take_code_point(struct scan *s, bool name)
{
	int code = hex4(s->at + 2), low;

	if (code < 0)
		return fail(s, "four hexadecimal digits are missing behind \\u");
	if (!code && name)
		return fail(s, "a member's name has a NUL");
	s->at += 6;
	if (code < 0xd800 || code > 0xdfff)
		return true;
	low = code < 0xdc00 && s->at[0] == '\\' && s->at[1] == 'u' ? hex4(s->at + 2) : -1;
	if (low < 0xdc00 || low > 0xdfff)
		return fail(s, "half of a surrogate pair");
	s->at += 6;
	return true;
}

static bool take_escape(struct scan *s, bool name)
{
	if (s->at[1] == 'u')
		return take_code_point(s, name);
	if (!s->at[1] || !strchr("\"\\/bfnrt", s->at[1]))
		return fail(s, "an escape that JSON does not have");
	s->at += 2;
	return true;
}

static bool take_string(struct scan *s, bool name)
{
	s->at++;
	while (*s->at != '"') {
		bool taken;

		if (byte(s, 0) < 0x20)
			return fail(s, "a string has a control character or no end");
		if (*s->at == '\\')
			taken = take_escape(s, name);
		else if (byte(s, 0) >= 0x80)
			taken = take_utf8(s);
		else
			taken = s->at++;
		if (!taken)
			return false;
	}
	s->at++;
	return true;
}

/* --- other values ------------------------------------------------------------ */

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* What is neither whole nor in range a reader may not guess at. */
static bool check_whole(struct scan *s, const char *number, size_t size)
{
	bool negative = *number == '-';
	uint64_t value, max = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;

	if (parse_u64_part(number + negative, size, max, &value) || (negative && !value))
		return fail(s, "a whole number that 64 bits do not hold");
	return true;
}

static bool take_number(struct scan *s)
{
	const char *number = s->at, *rest = number + (*number == '-');
	size_t size = digits(rest), part = 1;
	bool whole = true;

	if (!size || (*rest == '0' && size > 1))
		return fail(s, "a number that JSON does not have");
	s->at = rest + size;
	if (*s->at == '.') {
		whole = false;
		part = digits(s->at + 1);
		s->at += 1 + part;
	}
	if (part && (*s->at == 'e' || *s->at == 'E')) {
		whole = false;
		s->at += 1 + (s->at[1] == '+' || s->at[1] == '-');
		part = digits(s->at);
		s->at += part;
	}
	if (!part)
		return fail(s, "a number that JSON does not have");
	return !whole || check_whole(s, number, size);
}

static bool take_word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null", NULL };
	size_t size = strspn(s->at, "abcdefghijklmnopqrstuvwxyz");

	if (text_find(words, s->at, size) < 0)
		return fail(s, *s->at ? "something that is not a value" : "the text has no end");
	s->at += size;
	return true;
}

/* --- what they stand in -------------------------------------------------------- */

static enum want behind_value(const struct scan *s)
{
	return s->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static bool open_one(struct scan *s, enum want *want)
{
	bool object = *s->at == '{';

	if (s->depth == s->depth_max)
		return fail(s, "the nesting is too deep");
	s->objects = s->objects << 1 | object;
	s->depth++;
	s->at++;
	*want = object ? WANT_NAME_OR_END : WANT_VALUE_OR_END;
	return true;
}

static bool close_one(struct scan *s, enum want *want)
{
	s->objects >>= 1;
	s->depth--;
	s->at++;
	*want = behind_value(s);
	return true;
}

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t\r\n");
}

static bool take_name(struct scan *s, enum want *want)
{
	if (*s->at != '"')
		return fail(s, "a member's name is missing");
	if (!take_string(s, true))
		return false;
	skip_blanks(s);
	if (*s->at != ':')
		return fail(s, "a colon is missing");
	s->at++;
	s->members++;
	*want = WANT_VALUE;
	return true;
}

static bool take_value(struct scan *s, enum want *want)
{
	if (*s->at == '{' || *s->at == '[')
		return open_one(s, want);
	*want = behind_value(s);
	if (*s->at == '"')
		return take_string(s, false);
	if (*s->at == '-' || digits(s->at))
		return take_number(s);
	return take_word(s);
}

static bool take(struct scan *s, enum want *want)
{
	bool object = s->objects & 1;

	if (s->depth && *s->at == (object ? '}' : ']') && *want != WANT_VALUE && *want != WANT_NAME)
		return close_one(s, want);
	if (*want == WANT_NAME || *want == WANT_NAME_OR_END)
		return take_name(s, want);
	if (*want != WANT_COMMA_OR_END)
		return take_value(s, want);
	if (*s->at != ',')
		return fail(s, *s->at ? "a comma or an end is missing" : "the text has no end");
	s->at++;
	*want = object ? WANT_NAME : WANT_VALUE;
	return true;
}

struct strict_json strict_json_first(const char *text, unsigned int depth_max)
{
	struct scan s = {
		.at = text,
		.depth_max = depth_max < STRICT_JSON_DEPTH_MAX ? depth_max : STRICT_JSON_DEPTH_MAX,
	};
	enum want want = WANT_VALUE;

	do
		skip_blanks(&s);
	while (want != WANT_NOTHING && take(&s, &want));
	return (struct strict_json){
		.wrong = s.wrong,
		.at = (size_t)(s.at - text),
		.members = s.members,
	};
}

struct strict_json strict_json_check(const char *text, size_t size, unsigned int depth_max)
{
	struct strict_json checked = strict_json_first(text, depth_max);

	if (!checked.wrong && checked.at != size)
		checked.wrong = "there is data after the JSON text";
	return checked;
}
