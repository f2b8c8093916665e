/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_REFUSAL_H
#define LIB_REFUSAL_H

#include "lib/out.h"

/*
 * A failure for programs, as each of ours with --json has it beside the line for people
 * (ERR_LINE): one line with an object of one member,
 *
 *   {"error":{"code":CODE,"step":STEP,"volume":NAME or null,"message":SENTENCE}}
 *
 * so that it is told from an answer. volume may be empty; texts are printable.
 */
void out_refusal(struct out *o, const char *step, const char *volume, const char *code,
		 const char *message);

#define REFUSAL_SIZE 2048 /* bytes of any, with the NUL: twice ERR_TEXT_SIZE, and its names */

#endif
