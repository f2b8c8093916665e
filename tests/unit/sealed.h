/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_SEALED_H
#define TESTS_UNIT_SEALED_H

/* A line with the socle.length= in front that it needs, if any. The caller frees it. */
char *sealed_line(const char *line);

#endif
