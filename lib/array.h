/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

/* How many elements an array has; not for a pointer, which gcc and clang refuse here. */
#define ARRAY_SIZE(array)                                                                          \
	(sizeof(array) / sizeof((array)[0]) +                                                      \
	 0 * sizeof(char[1 - 2 * __builtin_types_compatible_p(__typeof__(array),                   \
							      __typeof__(&(array)[0]))]))

#endif
