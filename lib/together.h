/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_TOGETHER_H
#define LIB_TOGETHER_H

#include <stddef.h>

/*
 * Call run() for each of count items, which are size bytes each, and return when
 * all are done. As many at the same time as there are threads to be had, for
 * calls that wait in the kernel; where there are none, one after the other. The
 * process' signals are not for these threads.
 */
void together(void (*run)(void *item), void *items, size_t size, size_t count);

#endif
