/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_JSON_H
#define TESTS_QEMU_AGENT_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The reports: one JSON object a line, each with the member "what". Bytes of
 * names and contents are written as the code points of the same numbers.
 */

/* Where they go. */
extern FILE *json_out;

void json_begin(const char *what);

/* The line has left the guest when this returns, whatever happens next. */
void json_end(void);

/* Members of the object that was begun. */
void json_key(const char *key);
void json_text(const char *key, const char *value);
void json_number(const char *key, uint64_t value);
void json_strings(const char *key, char *const *strings);

/* "errno": 0, or errno where the result of a system call is negative. */
void json_result(int result);

/* The target of a symbolic link, empty where it cannot be read. */
void json_link(const char *key, const char *path);

/* A value behind json_key(), or an element of a list. */
void json_string(const char *text, size_t size);

#endif
