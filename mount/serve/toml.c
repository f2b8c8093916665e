// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/toml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "mount/serve/utf8.h"

#define BARE_KEY "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define PLAIN    BARE_KEY "+.:" /* numbers, booleans and dates */

/* The names of one table, or of the document; none may come twice. */
struct names {
	size_t count;
	char name[TOML_NAMES_MAX][TOML_NAME_SIZE];
};

struct reader {
	const char *at;    /* a NUL is the end */
	unsigned int line; /* from 1 */
	struct err *e;
};

/* Where a string's characters go. */
struct sink {
	char *out; /* NULL: nowhere */
	size_t size, used;
};

static int refuse(struct reader *r, const char *what)
{
	return err_set(r->e, FAIL_DESCRIPTION_INVALID, EINVAL, "line %u: %s", r->line, what);
}

static int put(struct reader *r, struct sink *sink, const char *bytes, size_t size)
{
	if (!sink->out)
		return 0;
	if (size >= sink->size - sink->used)
		return err_set(r->e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "line %u: a name has more than %d bytes", r->line,
			       TOML_NAME_SIZE - 1);
	memcpy(sink->out + sink->used, bytes, size);
	sink->used += size;
	sink->out[sink->used] = '\0';
	return 0;
}

/*
 * What holds of every byte, wherever it stands: UTF-8, and of the control characters
 * only tabs and line ends, CR only before LF.
 */
static int check_characters(struct reader *r, size_t size)
{
	const char *text = r->at;
	int result = 0;

	for (size_t i = 0; i < size && !result; i++) {
		bool cr = text[i] == '\r' && text[i + 1] == '\n';

		if (((uint8_t)text[i] < ' ' && text[i] != '\t' && text[i] != '\n' && !cr) ||
		    text[i] == 0x7f)
			result = refuse(r, "a control character");
		r->line += text[i] == '\n';
	}
	r->line = 1;
	if (!result && !utf8_is_valid(text, size))
		return err_set(r->e, FAIL_DESCRIPTION_INVALID, EINVAL, "the text is not UTF-8");
	return result;
}

static void skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

/* A line's end, where there is one. */
static bool skip_line_end(struct reader *r)
{
	r->at += *r->at == '\r';
	if (*r->at != '\n')
		return false;
	r->at++;
	r->line++;
	return true;
}

/* Blanks and a comment. */
static void skip_comment(struct reader *r)
{
	skip_blanks(r);
	if (*r->at == '#')
		r->at += strcspn(r->at, "\r\n");
}

static void skip_lines(struct reader *r)
{
	do
		skip_comment(r);
	while (skip_line_end(r));
}

static int end_line(struct reader *r)
{
	skip_comment(r);
	return skip_line_end(r) || !*r->at ? 0 : refuse(r, "something follows behind a value");
}

/* \uXXXX and \UXXXXXXXX, of which the backslash is taken. */
static int read_code_point(struct reader *r, size_t digits, struct sink *sink)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	uint32_t value = 0;
	char bytes[4];
	size_t size;

	for (r->at++; digits; digits--, r->at++) {
		const char *digit = *r->at ? strchr(hex, *r->at) : NULL;

		if (!digit)
			return refuse(r, "an escape has too few digits");
		value = value << 4 | ((uint32_t)(digit - hex) & 15);
	}
	size = value ? utf8_encode(value, bytes) : 0;
	return size ? put(r, sink, bytes, size) : refuse(r, "an escape of no character");
}

static int read_escape(struct reader *r, bool multi, struct sink *sink)
{
	static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
	const char *name = *++r->at ? strchr(names, *r->at) : NULL;

	if (name) {
		r->at++;
		return put(r, sink, &values[name - names], 1);
	}
	if (*r->at == 'u' || *r->at == 'U')
		return read_code_point(r, *r->at == 'u' ? 4 : 8, sink);
	/* At a line's end it takes away all blanks and line ends that follow. */
	skip_blanks(r);
	if (!multi || !skip_line_end(r))
		return refuse(r, "an unknown escape");
	do
		skip_blanks(r);
	while (skip_line_end(r));
	return 0;
}

/* Quotes in a string of several lines: three end it, up to two before these are its own. */
static int read_quotes(struct reader *r, struct sink *sink, bool *ret_closed)
{
	size_t count = 1;

	while (count < 5 && r->at[count] == r->at[0])
		count++;
	*ret_closed = count >= 3;
	r->at += count;
	return put(r, sink, r->at - count, *ret_closed ? count - 3 : count);
}

/* What is between a string's quotes, and the closing ones. */
static int read_characters(struct reader *r, char quote, bool multi, struct sink *sink)
{
	bool closed = false;
	int result = 0;

	while (!result && !closed) {
		if (*r->at == quote && multi) {
			result = read_quotes(r, sink, &closed);
		} else if (*r->at == quote) {
			r->at++;
			closed = true;
		} else if (!*r->at || (!multi && strchr("\r\n", *r->at))) {
			result = refuse(r, "a string has no end");
		} else if (*r->at == '\\' && quote == '"') {
			result = read_escape(r, multi, sink);
		} else {
			result = put(r, sink, r->at, 1);
			r->line += *r->at++ == '\n';
		}
	}
	return result;
}

static int read_string(struct reader *r, bool may_be_multi, struct sink *sink)
{
	char quote = *r->at;
	bool multi = r->at[1] == quote && r->at[2] == quote;

	if (sink->out)
		sink->out[0] = '\0';
	if (multi && !may_be_multi)
		return refuse(r, "a name has more than one line");
	r->at += multi ? 3 : 1;
	/* A line end right behind the opening quotes is not the text's. */
	if (multi)
		skip_line_end(r);
	return read_characters(r, quote, multi, sink);
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* A number, a boolean or a date: none of them is ever asked for, so which one does not matter. */
static int skip_plain(struct reader *r)
{
	size_t size = strspn(r->at, PLAIN);

	if (*r->at == '{')
		return refuse(r, "inline tables are not understood here");
	r->at += size;
	return size ? 0 : refuse(r, "a value is missing, or is none that is understood here");
}

/* An array with all that is in it; no recursion, and a value and a comma in turn. */
static int skip_array(struct reader *r)
{
	struct sink nowhere = { 0 };
	unsigned int depth = 0;
	bool value_comes = true;
	int result = 0;

	do {
		skip_lines(r);
		if (*r->at == ']' || (*r->at == ',' && !value_comes)) {
			depth -= *r->at == ']';
			value_comes = *r->at++ == ',';
		} else if (!value_comes) {
			result = refuse(r, "an array's values have no comma between them");
		} else if (*r->at == '[') {
			r->at++;
			if (++depth > TOML_DEPTH_MAX)
				result = refuse(r, "arrays are nested too deeply");
		} else {
			value_comes = false;
			result = is_quote(*r->at) ? read_string(r, true, &nowhere) : skip_plain(r);
		}
	} while (!result && depth);
	return result;
}

/* A name of a key or table, which is not in names yet. */
static int read_name(struct reader *r, struct names *names, const char **ret)
{
	struct sink sink = { .out = names->name[names->count], .size = TOML_NAME_SIZE };
	int result;

	if (names->count == TOML_NAMES_MAX)
		return err_set(r->e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "line %u: a table has more than %d names", r->line, TOML_NAMES_MAX);
	if (is_quote(*r->at)) {
		result = read_string(r, false, &sink);
	} else {
		size_t size = strspn(r->at, BARE_KEY);

		result = size ? put(r, &sink, r->at, size) : refuse(r, "a name is missing");
		r->at += size;
	}
	if (result)
		return result;
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], sink.out))
			return err_set(r->e, FAIL_KEY_REPEATED, EINVAL,
				       "line %u: \"%.40s\" is specified twice", r->line, sink.out);
	names->count++;
	*ret = sink.out;
	skip_blanks(r);
	return *r->at == '.' ? refuse(r, "dotted keys are not understood here") : 0;
}

/* "[name]", of which the bracket is at hand. */
static int read_header(struct reader *r, struct names *tables, const char **ret_table)
{
	int result;

	if (r->at[1] == '[')
		return refuse(r, "arrays of tables are not understood here");
	r->at++;
	skip_blanks(r);
	result = read_name(r, tables, ret_table);
	if (result)
		return result;
	if (*r->at != ']')
		return refuse(r, "a table's name has no \"]\" behind it");
	r->at++;
	return 0;
}

/* "key = value"; the value into the sink where it is wanted, which counts down. */
static int read_pair(struct reader *r, struct names *keys, const char *wanted, struct sink *sink,
		     bool *ret_found)
{
	struct sink nowhere = { 0 };
	const char *key;
	bool here;
	int result = read_name(r, keys, &key);

	if (result)
		return result;
	if (*r->at != '=')
		return refuse(r, "a key has no \"=\" behind it");
	r->at++;
	skip_blanks(r);
	here = wanted && !strcmp(key, wanted);
	if (here && !is_quote(*r->at))
		return refuse(r, "this key's value has to be a string");
	*ret_found = *ret_found || here;
	if (is_quote(*r->at))
		return read_string(r, true, here ? sink : &nowhere);
	return *r->at == '[' ? skip_array(r) : skip_plain(r);
}

/* Every line of the document. The keys in front of all tables and the tables share their names. */
static int read_lines(struct reader *r, const char *table, const char *key, struct sink *sink,
		      bool *ret_found)
{
	struct names top = { 0 }, of_table, *keys = &top;
	const char *wanted = NULL, *here;
	int result = 0;

	for (skip_lines(r); *r->at && !result; skip_lines(r)) {
		if (*r->at == '[') {
			result = read_header(r, &top, &here);
			wanted = !result && !strcmp(here, table) ? key : NULL;
			of_table.count = 0;
			keys = &of_table;
		} else {
			result = read_pair(r, keys, wanted, sink, ret_found);
		}
		result = result ? result : end_line(r);
	}
	return result;
}

int toml_find(const char *text, size_t size, const char *table, const char *key, char *out,
	      size_t *ret_length, struct err *e)
{
	struct reader r = { .at = text, .line = 1, .e = e };
	struct sink sink = { .out = out, .size = size + 1 };
	bool found = false;
	int result;

	if (size > TOML_SIZE_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "it has more than %d bytes",
			       TOML_SIZE_MAX);
	result = check_characters(&r, size);
	result = result ? result : read_lines(&r, table, key, &sink, &found);
	if (result)
		return result;
	*ret_length = sink.used;
	return found;
}
